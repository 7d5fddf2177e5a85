# Clusters between two groups by permuco, with all arrangements, as JSON. Standard input: two lists of rows, and alpha.
suppressMessages(library(permuco))
given <- jsonlite::fromJSON(file("stdin"))
signal <- rbind(given$first, given$second)
n <- nrow(given$first)
m <- nrow(given$second)
group <- data.frame(group = factor(rep(c("first", "second"), c(n, m))))
# Each column is an arrangement of the rows; the first is as they are.
chosen <- combn(n + m, n)
arranged <- apply(chosen, 2, function(own) {
  places <- integer(n + m)
  places[seq_len(n)] <- own
  places[n + seq_len(m)] <- setdiff(seq_len(n + m), own)
  places
})
all <- as.Pmat(arranged)
attr(all, "type") <- "permutation"
threshold <- qt(1 - given$alpha / 2, n + m - 2)
model <- clusterlm(signal ~ group,
  data = group, test = "t", threshold = threshold, aggr_FUN = sum, P = all, multcomp = "clustermass"
)
main <- model$multiple_comparison[["groupsecond"]]
if (is.null(main)) main <- model$multiple_comparison[[length(model$multiple_comparison)]]
table <- main$clustermass$main
cat(jsonlite::toJSON(lapply(unique(table[table[, "cluster_id"] > 0, "cluster_id"]), function(id) {
  own <- which(table[, "cluster_id"] == id)
  c(min(own) - 1, max(own), table[own[1], "statistic"], table[own[1], "pvalue"])
}), digits = NA))
