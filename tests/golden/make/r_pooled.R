# What metafor says of the effects in the folder that is named: prints a line for each number, case, name and value.

suppressMessages(library(metafor))
folder <- commandArgs(trailingOnly = TRUE)[1]
options(warn = 1)
UNIT <- 1000000
TIGHT <- list(threshold = 1e-15, maxiter = 10000)

say <- function(case, name, values) {
  cat(case, name, sprintf("%.12g", values), sep = "\t")
  cat("\n")
}
read <- function(name, unit = 1) {
  unname(as.matrix(read.csv(file.path(folder, paste0(name, ".csv")), header = FALSE))) / unit
}

pooled <- function(case, y, v) {
  k <- length(y)
  say(case, "effect", y)
  say(case, "variance", v)
  for (method in c("REML", "DL")) {
    for (test in c("knha", "adhoc")) {
      fit <- rma(y, v, method = method, test = test, control = TIGHT)
      name <- paste(tolower(method), test)
      say(case, name, c(fit$b, fit$se, fit$ci.lb, fit$ci.ub, fit$pval, fit$tau2))
      narrow <- rma(y, v, method = method, test = test, level = 80, control = TIGHT)
      say(case, paste(name, "80 %"), c(narrow$ci.lb, narrow$ci.ub))
      say(case, paste(name, "weight"), weights(fit) / 100)
    }
  }
  # I2 of metafor comes from tau2: with DerSimonian and Laird's it is (Q - df) / Q.
  fixed <- rma(y, v, method = "FE")
  say(case, "heterogeneity", c(fixed$QE, k - 1, fixed$QEp, rma(y, v, method = "DL")$I2 / 100))
  say(case, "fixed", weights(fixed) / 100)
}

counts <- read("trials")
trials <- escalc("RR", ai = counts[, 1], bi = counts[, 2], ci = counts[, 3], di = counts[, 4])
pooled("trials", as.vector(trials$yi), as.vector(trials$vi))

names <- readLines(file.path(folder, "names.csv"))
for (name in names) {
  rows <- read(name, UNIT)
  pooled(name, rows[, 1], rows[, 2])
}

collections <- readLines(file.path(folder, "collections.csv"))
for (pair in list(c(1, 2), c(1, 3), c(2, 3))) {
  apart <- lapply(collections, function(name) { m <- read(name, 10000); m[, pair[2]] - m[, pair[1]] })
  case <- paste(pair[1] - 1, pair[2] - 1, sep = "-")
  pooled(case, sapply(apart, mean), sapply(apart, var) / sapply(apart, length))
}
