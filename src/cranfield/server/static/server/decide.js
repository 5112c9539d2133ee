// Deciding: the time on the document goes with the decision, as it does with a judgment.
import { tellSeconds } from "./clock.js";

tellSeconds();
