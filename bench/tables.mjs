// Medians and Markdown, for every page that the benchmarks write.

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** Rows of cells as Markdown: the first column left, the others right. */
export function markdownTable(head, rows) {
  const align = ['---', ...head.slice(1).map(() => '---:')]
  return [head, align, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
