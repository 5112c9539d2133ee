# What base R says of factors of runs: prints a line for each case, source and its numbers.
# A factor is tested on the means of runs, which are its units.

folder <- commandArgs(trailingOnly = TRUE)[1]
values <- unname(as.matrix(read.csv(file.path(folder, "values.csv"), header = FALSE))) / 10000
runs <- read.csv(file.path(folder, "labels.csv"), stringsAsFactors = TRUE)
runs$mean <- colMeans(values)
at <- data.frame(value = as.vector(values), topic = factor(row(values)), run = factor(col(values)))
at <- cbind(at, runs[at$run, ])

say <- function(case, source, ...) cat(case, source, sprintf("%.12g", c(...)), sep = "\t", fill = FALSE)
line <- function(...) { say(...); cat("\n") }

# df, df of the denominator, F and p of each term that a model of the means adds to another one.
against <- function(case, source, with, without, whole) {
  error <- deviance(whole) / df.residual(whole)
  df <- df.residual(without) - df.residual(with)
  f <- (deviance(without) - deviance(with)) / df / error
  line(case, source, df, df.residual(whole), f, pf(f, df, df.residual(whole), lower.tail = FALSE))
}
means <- function(formula, data = runs) lm(formula, data)

whole <- means(mean ~ kind)
against("one", "kind", whole, means(mean ~ 1), whole)

squares <- summary(aov(value ~ topic + kind + topic:kind + kind:run, at))[[1]]
ms <- setNames(squares[["Mean Sq"]], trimws(rownames(squares)))
df <- setNames(squares[["Df"]], trimws(rownames(squares)))
below <- ms["kind:run"] + ms["topic:kind"] - ms["Residuals"]
df2 <- below^2 / sum(ms[c("kind:run", "topic:kind", "Residuals")]^2 / df[c("kind:run", "topic:kind", "Residuals")])
f <- ms["kind"] / below
line("random", "kind", df["kind"], df2, f, pf(f, df["kind"], df2, lower.tail = FALSE))
for (source in c("topic", "topic:kind", "kind:run")) {
  f <- ms[source] / ms["Residuals"]
  line("random", source, df[source], df["Residuals"], f, pf(f, df[source], df["Residuals"], lower.tail = FALSE))
}

for (other in c("model", "index")) {
  runs$other <- runs[[other]]
  whole <- means(mean ~ stemmer * other)
  both <- means(mean ~ stemmer + other)
  against(other, "stemmer", both, means(mean ~ other), whole)
  against(other, other, both, means(mean ~ stemmer), whole)
  against(other, "both", whole, both, whole)
}

grid <- runs[1:6, ]
whole <- means(mean ~ stemmer + model, grid)
against("grid", "stemmer", whole, means(mean ~ model, grid), whole)
against("grid", "model", whole, means(mean ~ stemmer, grid), whole)

outer <- summary(aov(mean ~ country + Error(group), runs))[["Error: group"]][[1]]
line("nested", "country", outer[["Df"]], outer[["F value"]][1], outer[["Pr(>F)"]][1])
whole <- means(mean ~ country / group)
against("nested", "group", whole, means(mean ~ country), whole)

teams <- aggregate(mean ~ country + team, runs, mean)  # unequal numbers of runs: a team is one unit
whole <- means(mean ~ country, teams)
against("unequal", "country", whole, means(mean ~ 1, teams), whole)
whole <- means(mean ~ country / team)
against("unequal", "team", whole, means(mean ~ country), whole)

whole <- means(mean ~ size)
against("covariate", "size", whole, means(mean ~ 1), whole)
line("covariate", "slope", coef(whole)["size"])
whole <- means(mean ~ kind + size)
against("both", "size", whole, means(mean ~ kind), whole)
against("both", "kind", whole, means(mean ~ size), whole)
line("both", "slope", coef(whole)["size"])
