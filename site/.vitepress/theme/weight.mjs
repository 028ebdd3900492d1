/**
 * Returns how much a section of a page counts in a search for a word. A guide answers more questions than the page of a name, and
 * pages about the project answer fewer. The beginning of a page counts most for the words that its readers search for.
 *
 * @param words By the address of a page.
 */
export function weightsOf(words) {
  return (id, word, { titles }) => {
    if (/\/api\/./.test(id)) return 0.4
    if (/\/(project\/|supply-chain)/.test(id)) return 0.15
    const [page] = id.split('#')
    return titles.length === 0 && words.get(page)?.includes(word) ? 7 : 1
  }
}
