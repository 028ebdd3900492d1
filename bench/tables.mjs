// Medians and Markdown, for every page that the benchmarks write.

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** Rows of cells as Markdown: columns of text, of which there is one unless said otherwise, then columns of numbers. */
export function markdownTable(head, rows, { textColumns = 1 } = {}) {
  const align = head.map((_, index) => (index < textColumns ? '---' : '---:'))
  return [head, align, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
