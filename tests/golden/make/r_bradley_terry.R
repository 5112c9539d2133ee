# What glm says of votes in the folder that is named: prints a line for each number, case, name and value.

folder <- commandArgs(trailingOnly = TRUE)[1]
options(warn = 2)
TIGHT <- glm.control(epsilon = 1e-15, maxit = 500)

say <- function(case, name, values) {
  values[abs(values) < 1e-12] <- 0
  cat(case, name, sprintf("%.12g", values), sep = "\t")
  cat("\n")
}

# Bradley-Terry is a logistic regression without an intercept: +1 for the first document, -1 for the second. The prior
# is a row for each document alone. Counts may be halves: quasibinomial takes them, and its dispersion is set to 1.
strengths <- function(case, name, first, second, wins, losses, prior) {
  n <- max(first, second)
  design <- matrix(0, length(first), n)
  design[cbind(seq_along(first), first)] <- 1
  design[cbind(seq_along(first), second)] <- -1
  design <- rbind(design, diag(n))
  counts <- rbind(cbind(wins, losses), matrix(prior, n, 2))
  played <- rowSums(counts) > 0
  fit <- glm.fit(design[played, ], counts[played, 1] / rowSums(counts)[played], weights = rowSums(counts)[played],
                 family = quasibinomial(), control = TIGHT, intercept = FALSE)
  stopifnot(fit$converged)
  # At the fitted values: the decomposition that glm keeps is of the weights of the round before.
  weight <- rowSums(counts) * plogis(design %*% fit$coefficients) * plogis(-design %*% fit$coefficients)
  covariance <- solve(crossprod(design, as.vector(weight) * design))
  centre <- diag(n) - 1 / n
  say(case, paste(name, "strength"), as.vector(centre %*% fit$coefficients))
  say(case, paste(name, "error"), sqrt(diag(centre %*% covariance %*% centre)))
}

for (case in readLines(file.path(folder, "names.csv"))) {
  votes <- read.csv(file.path(folder, paste0(case, ".csv")), header = FALSE)
  for (prior in c(0.1, 1)) {
    strengths(case, paste("half", prior), votes[[1]] + 1, votes[[2]] + 1,
              votes[[3]] + votes[[4]] / 2, votes[[5]] + votes[[4]] / 2, prior)
    if (case %in% c("few", "many", "always")) {
      strengths(case, paste("ignore", prior), votes[[1]] + 1, votes[[2]] + 1, votes[[3]], votes[[5]], prior)
    }
  }
}
