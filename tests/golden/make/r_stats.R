# What base R says of the matrices in the folder that is named: prints JSON. Long, because it is all that is asked of R.
#
# A difference is b - a; "greater" means b above a. Differences and ranks are taken of numbers rounded to ten decimals,
# because R does not tie what is equal as decimals only.

folder <- commandArgs(trailingOnly = TRUE)[1]
options(warn = 1)
UNIT <- 10000
SIDES <- c("two-sided" = "two.sided", "greater" = "greater", "less" = "less")

# Twelve digits: the rest depends on the machine's library of linear algebra.
number <- function(x) {
  if (is.na(x)) "null" else if (is.infinite(x)) if (x > 0) '"inf"' else '"-inf"' else sprintf("%.12g", x)
}
json <- function(x) {
  if (is.matrix(x)) x <- lapply(seq_len(nrow(x)), function(i) as.list(unname(x[i, ])))
  if (is.character(x)) return(if (length(x) == 1) dQuote(x, FALSE) else json(as.list(x)))
  if (!is.list(x)) return(if (length(x) == 1) number(x) else json(as.list(x)))
  parts <- vapply(x, json, "")
  if (is.null(names(x))) return(paste0("[", paste(parts, collapse = ","), "]"))
  paste0("{", paste0(dQuote(names(x), FALSE), ":", parts, collapse = ","), "}")
}
matrix_of <- function(name) {
  unname(as.matrix(read.csv(file.path(folder, paste0(name, ".csv")), header = FALSE))) / UNIT
}
clean <- function(x) round(x, 10)

# Two runs -------------------------------------------------------------------------------------------------------------

# The chance of every sum of whole weights, each of which counts or does not by the toss of a coin: all subsets are
# listed up to twelve weights, above that one weight is added after the other.
subset_sums <- function(weights) {
  if (length(weights) <= 12) {
    chosen <- as.matrix(expand.grid(rep(list(0:1), length(weights))))
    sums <- table(chosen %*% weights)
    return(list(at = as.numeric(names(sums)), chance = as.vector(sums) / nrow(chosen)))
  }
  chance <- 1
  for (w in weights) chance <- (c(chance, numeric(w)) + c(numeric(w), chance)) / 2
  list(at = seq_along(chance) - 1, chance = chance)
}
exact <- function(weights, seen) {
  sums <- subset_sums(weights)
  upper <- sum(sums$chance[sums$at >= seen])
  lower <- sum(sums$chance[sums$at <= seen])
  list("two-sided" = min(1, 2 * min(lower, upper)), greater = upper, less = lower)
}
normal <- function(away, spread, step) { # half a step towards the middle
  upper <- pnorm((away - step) / spread, lower.tail = FALSE)
  lower <- pnorm((away + step) / spread)
  list("two-sided" = min(1, 2 * min(lower, upper)), greater = upper, less = lower)
}

student <- function(a, b) {
  lapply(SIDES, function(side) {
    found <- t.test(b, a, paired = TRUE, alternative = side)
    list(statistic = unname(found$statistic), p = found$p.value, low = found$conf.int[1], high = found$conf.int[2])
  })
}
equivalence <- function(a, b, margin) {
  above <- t.test(b, a, paired = TRUE, mu = -margin, alternative = "greater")
  below <- t.test(b, a, paired = TRUE, mu = margin, alternative = "less")
  interval <- t.test(b, a, paired = TRUE, conf.level = 0.9)$conf.int
  list(margin = margin, p = max(above$p.value, below$p.value), low = interval[1], high = interval[2],
       above = list(statistic = unname(above$statistic), p = above$p.value),
       below = list(statistic = unname(below$statistic), p = below$p.value))
}
sign_test <- function(d) {
  wins <- sum(d > 0)
  n <- sum(d != 0)
  tests <- lapply(SIDES, function(side) binom.test(wins, n, alternative = side))
  # The limits of the chance of a win, for the proportion of wins less that of losses.
  ends <- lapply(tests, function(test) (2 * test$conf.int - 1) * n / length(d))
  list(n = n, statistic = wins, p = lapply(tests, function(test) test$p.value), ends = ends)
}
signed_rank <- function(d) {
  kept <- d[d != 0]
  rank <- rank(abs(kept))
  seen <- sum(rank[kept > 0])
  by_r <- function(...) lapply(SIDES, function(side) wilcox.test(kept, alternative = side, ...)$p.value)
  # Pratt: zeros are ranked too, then left out.
  pratt <- rank(abs(d))[d != 0]
  pratt_seen <- sum(pratt[kept > 0])
  spread <- sqrt(sum(pratt^2)) / 2
  made <- list(
    n = length(kept), statistic = seen, pratt_statistic = pratt_seen,
    rank_biserial = (2 * seen - sum(rank)) / sum(rank),
    exact = exact(2 * rank, 2 * seen), pratt_exact = exact(2 * pratt, 2 * pratt_seen),
    normal = by_r(exact = FALSE, correct = FALSE), continuity = by_r(exact = FALSE, correct = TRUE),
    pratt_normal = normal(pratt_seen - sum(pratt) / 2, spread, 0),
    pratt_continuity = normal(pratt_seen - sum(pratt) / 2, spread, 0.5),
    pratt_biserial = (2 * pratt_seen - sum(pratt)) / sum(pratt)
  )
  if (!any(duplicated(abs(kept))) && all(d != 0)) {
    made$exact_of_r <- by_r(exact = TRUE)
    tests <- lapply(SIDES, function(side) wilcox.test(kept, alternative = side, exact = TRUE, conf.int = TRUE))
    made$hodges_lehmann <- unname(tests[[1]]$estimate)
    made$ends <- lapply(tests, function(test) c(test$conf.int))
  }
  made
}
# R's W counts the first sample above the second, ties for half: here b above a.
rank_sum <- function(a, b) {
  by_r <- function(correct) {
    lapply(SIDES, function(side) wilcox.test(b, a, alternative = side, exact = FALSE, correct = correct)$p.value)
  }
  statistic <- unname(wilcox.test(b, a, exact = FALSE)$statistic)
  list(statistic = statistic, normal = by_r(FALSE), continuity = by_r(TRUE))
}
randomisation <- function(d) {
  whole <- round(d * UNIT)
  exact(abs(whole), sum(whole[whole > 0]))
}
effects <- function(a, b, d) {
  n <- length(d)
  m <- n - 1
  j <- gamma(m / 2) / (sqrt(m / 2) * gamma((m - 1) / 2)) # Hedges (1981)
  d_z <- mean(d) / sd(d)
  d_av <- mean(d) / ((sd(a) + sd(b)) / 2)
  above <- sign(outer(b, a, "-"))
  list(d_z = d_z, d_av = d_av, g_z = j * d_z, g_av = j * d_av, cliff = mean(above),
       wins = sum(d > 0), ties = sum(d == 0), losses = sum(d < 0))
}
two_runs <- function(a, b) {
  d <- clean(b - a)
  if (all(d == 0)) return(list(identical = 1))
  list(t = student(a, b), tost = lapply(c(0.02, 0.05, 0.2), function(margin) equivalence(a, b, margin)),
       sign = sign_test(d), signed_rank = signed_rank(d), rank_sum = rank_sum(a, b),
       randomisation = randomisation(d), effects = effects(a, b, d))
}
every_pair <- function(values, what) {
  made <- list()
  for (pair in combn(ncol(values), 2, simplify = FALSE)) {
    name <- paste(pair[1] - 1, pair[2] - 1, sep = "-")
    made[[name]] <- what(pair[1], pair[2])
  }
  made
}

# All runs -------------------------------------------------------------------------------------------------------------

long <- function(values) {
  data.frame(value = as.vector(values), topic = factor(row(values)), run = factor(col(values)))
}
# One row for each source; R has logarithms of p where p itself is too small.
table_of <- function(fit) {
  found <- summary(fit)[[1]]
  source <- gsub(":", " x ", trimws(rownames(found)))
  error <- nrow(found)
  rows <- lapply(seq_len(error), function(i) {
    row <- list(ss = found[i, "Sum Sq"], df = found[i, "Df"], ms = found[i, "Mean Sq"])
    if (i == error) return(row)
    f <- found[i, "F value"]
    effect <- found[i, "Df"] * (f - 1)
    p <- list(f = f, p = found[i, "Pr(>F)"],
              log10_p = pf(f, found[i, "Df"], found[error, "Df"], lower.tail = FALSE, log.p = TRUE) / log(10),
              omega2 = effect / (effect + sum(found[, "Df"]) + 1))
    c(row, p)
  })
  setNames(rows, source)
}
# The ends are TukeyHSD's own, from qtukey; half the distance that is significant is from the root of ptukey.
tukey <- function(values, fit, level) {
  found <- TukeyHSD(fit, "run", conf.level = 1 - level)$run
  error <- summary(fit)[[1]]["Residuals", ]
  unit <- sqrt(error[["Mean Sq"]] / nrow(values))
  k <- ncol(values)
  rows <- list()
  for (name in rownames(found)) { # "b-a"
    ends <- as.integer(strsplit(name, "-")[[1]]) - 1
    row <- as.list(round(found[name, ], 12))
    row <- setNames(row, c("difference", "low", "high", "p"))
    row$q <- abs(row$difference) / unit
    row$p_inf <- range_chance(row$q, k, Inf)
    rows[[paste(ends[2], ends[1], sep = "-")]] <- row
  }
  list(pairs = rows, half_width = range_quantile(level, k, error$Df) * unit / 2,
       half_width_inf = range_quantile(level, k, Inf) * unit / 2)
}
scheffe <- function(values, fit, level) {
  k <- ncol(values)
  found <- summary(fit)[[1]]
  df <- found["Residuals", "Df"]
  spread <- sqrt(found["Residuals", "Mean Sq"] * 2 / nrow(values))
  half <- sqrt((k - 1) * qf(level, k - 1, df, lower.tail = FALSE)) * spread
  every_pair(values, function(i, j) {
    difference <- round(mean(values[, j]) - mean(values[, i]), 14)
    f <- (difference / spread)^2 / (k - 1)
    list(difference = difference, f = f, p = pf(f, k - 1, df, lower.tail = FALSE),
         low = difference - half, high = difference + half)
  })
}
# qtukey stops at a step below 1e-4: the root of ptukey near it.
range_quantile <- function(level, k, df) {
  near <- qtukey(level, k, df, lower.tail = FALSE) + c(-0.01, 0.01)
  round(uniroot(function(q) ptukey(q, k, df, lower.tail = FALSE) - level, near, tol = 1e-13)$root, 11)
}
range_chance <- function(q, k, df) round(ptukey(q, k, df, lower.tail = FALSE), 12)

kruskal <- function(values) {
  at <- long(values)
  found <- kruskal.test(value ~ run, at)
  rank <- rank(at$value)
  size <- table(at$value)
  n <- length(rank)
  # As MATLAB's multcompare after kruskalwallis: the variance of a rank, corrected for ties, over the topics of a run,
  # and the studentised range with infinite degrees of freedom; the range has one sqrt(2) less than the difference.
  variance <- n * (n + 1) / 12 * (1 - sum(size^3 - size) / (n^3 - n))
  means <- tapply(rank, at$run, mean)
  list(statistic = unname(found$statistic), df = unname(found$parameter), p = found$p.value,
       log10_p = pchisq(found$statistic, found$parameter, lower.tail = FALSE, log.p = TRUE)[[1]] / log(10),
       epsilon2 = unname(found$statistic) / (n - 1), mean_ranks = as.vector(means),
       tukey = every_pair(values, function(i, j) {
         q <- abs(means[[j]] - means[[i]]) / sqrt(variance / nrow(values))
         list(difference = means[[j]] - means[[i]], q = q, p = range_chance(q, ncol(values), Inf))
       }))
}
friedman <- function(values) {
  found <- friedman.test(values)
  n <- nrow(values)
  k <- ncol(values)
  chi <- unname(found$statistic)
  f <- (n - 1) * chi / (n * (k - 1) - chi) # Iman and Davenport (1980)
  ranks <- t(apply(values, 1, rank))
  means <- colMeans(ranks)
  unit <- sqrt(k * (k + 1) / (12 * n)) # Nemenyi, Demsar (2006): not corrected for ties
  list(statistic = chi, df = unname(found$parameter), p = found$p.value,
       log10_p = pchisq(chi, k - 1, lower.tail = FALSE, log.p = TRUE) / log(10),
       w = chi / (n * (k - 1)), mean_ranks = means,
       iman_davenport = list(f = f, df = k - 1, df_error = (k - 1) * (n - 1),
                             p = pf(f, k - 1, (k - 1) * (n - 1), lower.tail = FALSE),
                             log10_p = pf(f, k - 1, (k - 1) * (n - 1), lower.tail = FALSE, log.p = TRUE) / log(10)),
       nemenyi = every_pair(values, function(i, j) {
         difference <- means[j] - means[i]
         q <- abs(difference) / unit
         list(difference = difference, q = q, p = range_chance(q, k, Inf))
       }),
       critical_difference = range_quantile(0.05, k, Inf) * unit)
}
# What is left when topics and runs are taken out, and Brown and Forsythe's test of it.
shape <- function(fit, at) {
  errors <- residuals(fit)
  off <- abs(errors - ave(errors, at$run, FUN = median))
  test <- summary(aov(off ~ at$run))[[1]]
  moment <- function(power) mean(errors^power)
  spreads <- tapply(errors, at$run, var)
  list(skew = moment(3) / moment(2)^1.5, kurtosis = moment(4) / moment(2)^2 - 3, brown_forsythe = test[1, "Pr(>F)"],
       ratio = max(spreads) / min(spreads))
}
all_runs <- function(values) {
  at <- long(values)
  two <- aov(value ~ topic + run, at)
  one <- aov(value ~ run, at)
  rows <- table_of(two)
  n <- nrow(values)
  k <- ncol(values)
  error <- rows$Residuals$ms
  list(two_way = rows, one_way = table_of(one),
       # Both random, one value in a cell: expected mean squares, nothing cut at 0.
       components = list(topic = (rows$topic$ms - error) / k, run = (rows$run$ms - error) / n, error = error),
       tukey = list("two-way" = tukey(values, two, 0.05), "two-way, 1 %" = tukey(values, two, 0.01),
                    "one-way" = tukey(values, one, 0.05)),
       errors = shape(two, at), scheffe = scheffe(values, two, 0.05), kruskal = kruskal(values),
       friedman = friedman(values),
       means = lapply(seq_len(k), function(i) c(mean(values[, i]), t.test(values[, i])$conf.int)))
}

# Replicates -------------------------------------------------------------------------------------------------------------

labels <- function(name) unlist(read.csv(file.path(folder, paste0(name, ".csv")), header = FALSE), use.names = FALSE)

replicated <- function() {
  at <- long(matrix_of("replicated"))
  repeats <- labels("replicates")
  column <- as.integer(at$run) - 1
  at$run <- factor(column %/% repeats)
  at$replicate <- factor(column %% repeats)
  fits <- list(repeated = aov(value ~ topic * run, at), factor = aov(value ~ topic * run + replicate, at),
               interacting = aov(value ~ (topic + run + replicate)^2, at))
  rows <- lapply(fits, table_of)
  ms <- lapply(rows$repeated, function(row) row$ms)
  m <- nlevels(at$topic)
  k <- nlevels(at$run)
  c(rows, list(components = list( # all random: expected mean squares
    topic = (ms$topic - ms[["topic x run"]]) / (k * repeats), run = (ms$run - ms[["topic x run"]]) / (m * repeats),
    "topic x run" = (ms[["topic x run"]] - ms$Residuals) / repeats, error = ms$Residuals
  )))
}

# Distributions, corrections, power ------------------------------------------------------------------------------------

studentised <- function() {
  grid <- expand.grid(q = c(0.1, 0.5, 1, 2, 3, 3.5, 4, 5, 7), k = c(2, 3, 5, 10, 50, 129),
                      df = c(5, 20, 120, 6272, Inf))
  grid <- subset(grid, df > 5 | k <= 10) # beyond, ptukey is off in the fourth decimal
  points <- lapply(seq_len(nrow(grid)), function(i) {
    at <- grid[i, ]
    c(as.list(at), list(upper = range_chance(at$q, at$k, at$df)))
  })
  levels <- expand.grid(level = c(0.1, 0.05, 0.01, 0.001), k = c(2, 3, 5, 10, 50, 129), df = c(20, 120, 6272, Inf))
  quantiles <- lapply(seq_len(nrow(levels)), function(i) {
    at <- levels[i, ]
    c(as.list(at), list(q = range_quantile(at$level, at$k, at$df)))
  })
  list(chances = points, quantiles = quantiles)
}
# Chances too small for a float.
tails <- function() {
  f <- list(c(251.9463, 49, 6272), c(34.4635, 128, 6272), c(900, 2, 1000), c(1e5, 3, 400), c(3, 10, 20), c(5e4, 1, 150))
  chi <- list(c(2000, 5), c(5000, 128), c(12, 4), c(1e5, 1))
  list(f = lapply(f, function(x) list(f = x[1], df = x[2], df2 = x[3],
                                      log10_p = pf(x[1], x[2], x[3], lower.tail = FALSE, log.p = TRUE) / log(10))),
       chi = lapply(chi, function(x) list(chi = x[1], df = x[2],
                                          log10_p = pchisq(x[1], x[2], lower.tail = FALSE, log.p = TRUE) / log(10))))
}
corrections <- function() {
  vectors <- list(
    few = c(0.01, 0.04, 0.03, 0.005, 0.2),
    equal = c(0.02, 0.02, 0.5, 1, 0.02, 0.5),
    holes = c(0.001, NA, 0.04, 0.9, NA, 0.011, 0.03),
    one = c(0.04, NA),
    many = c(0.0004, 0.0095, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719, 0.6528, 0.759, 1, 0.0001, 0.0019,
             0.0201)
  )
  methods <- c(bonferroni = "bonferroni", holm = "holm", hochberg = "hochberg", bh = "BH", by = "BY")
  lapply(vectors, function(p) {
    list(p = p, adjusted = lapply(methods, function(method) p.adjust(p, method)))
  })
}
power_t <- function() {
  grid <- expand.grid(n = c(5, 10, 25, 50, 200), delta = c(0.1, 0.25, 0.5, 1), level = c(0.05, 0.01))
  # Strict: significant on the wrong side counts too, as it does for a two-sided test.
  paired <- function(...) power.t.test(..., sd = 1, type = "paired", strict = TRUE, tol = 1e-12)
  points <- lapply(seq_len(nrow(grid)), function(i) {
    at <- grid[i, ]
    c(as.list(at), list(power = paired(n = at$n, delta = at$delta, sig.level = at$level)$power))
  })
  asked <- expand.grid(delta = c(0.1, 0.2, 0.3, 0.5, 1), power = c(0.7, 0.8, 0.9), level = c(0.05, 0.01))
  sizes <- lapply(seq_len(nrow(asked)), function(i) {
    at <- asked[i, ]
    found <- paired(delta = at$delta, sig.level = at$level, power = at$power)
    c(as.list(at), list(n = found$n))
  })
  smallest <- lapply(c(10, 25, 50, 100), function(n) {
    found <- paired(n = n, sig.level = 0.05, power = 0.8)
    list(n = n, power = 0.8, level = 0.05, delta = found$delta)
  })
  list(points = points, sizes = sizes, smallest = smallest)
}
# Of k runs two differ by d and the rest lie half-way: the means have variance d^2/2/(k - 1).
power_f <- function() {
  between <- function(k, d) d^2 / 2 / (k - 1)
  grid <- expand.grid(n = c(5, 10, 25, 50), k = c(2, 3, 10, 100), d = c(0.25, 0.5, 1), level = c(0.05, 0.01))
  points <- lapply(seq_len(nrow(grid)), function(i) {
    at <- grid[i, ]
    found <- power.anova.test(groups = at$k, n = at$n, between.var = between(at$k, at$d), within.var = 1,
                              sig.level = at$level)
    c(as.list(at), list(power = found$power))
  })
  asked <- expand.grid(k = c(2, 3, 10, 100), d = c(0.25, 0.5, 1), power = c(0.8, 0.9), level = 0.05)
  sizes <- lapply(seq_len(nrow(asked)), function(i) {
    at <- asked[i, ]
    short <- function(n) {
      power.anova.test(groups = at$k, n = n, between.var = between(at$k, at$d), within.var = 1,
                       sig.level = at$level)$power - at$power
    }
    c(as.list(at), list(n = uniroot(short, c(2, 1e4), tol = 1e-10)$root)) # asked for n, R stops at the fourth decimal
  })
  # The same for runs on the same topics: fewer degrees of freedom for the error.
  two_way <- lapply(seq_len(nrow(grid)), function(i) {
    at <- grid[i, ]
    df <- c(at$k - 1, (at$k - 1) * (at$n - 1))
    limit <- qf(at$level, df[1], df[2], lower.tail = FALSE)
    c(as.list(at), list(power = pf(limit, df[1], df[2], ncp = at$n * at$d^2 / 2, lower.tail = FALSE)))
  })
  list(points = points, sizes = sizes, two_way = two_way)
}
# The width that an interval of a mean difference with variance 1 is expected to have.
widths <- function() {
  lapply(c(5, 10, 25, 50, 200), function(n) {
    shrunk <- sqrt(2 / (n - 1)) * exp(lgamma(n / 2) - lgamma((n - 1) / 2))
    list(n = n, width = 2 * qt(0.975, n - 1) * shrunk / sqrt(n))
  })
}

named <- labels("names")
names(named) <- named
both <- lapply(named, function(name) {
  values <- matrix_of(name)
  list(pairs = every_pair(values, function(i, j) two_runs(values[, i], values[, j])), runs = all_runs(values))
})
cat(json(c(both, list(
  replicated = replicated(), studentised = studentised(),
  tails = tails(), corrections = corrections(), power_t = power_t(), power_f = power_f(), widths = widths()
))), "\n")
