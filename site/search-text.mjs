// What the search finds on a page.

/**
 * The HTML of a page for the index of the search: with the words that readers search for, from the navigation. A page of the
 * API reference is one result, whose title is the name; the headings in it are the same on all of these pages.
 *
 * @param words By the path of a page on the site, with `.md`.
 */
export function searchTextOf(words) {
  return (source, env, md) => {
    const { highlight } = md.options
    // Highlighting adds no text, and would take a third of the time of a build.
    md.options.highlight = null
    // The name of the language above a block of code is not text of the page.
    const html = md.render(source, env).replace(/<span class="lang">.*?<\/span>/g, '')
    md.options.highlight = highlight
    const path = env.relativePath
    if (env.frontmatter?.search === false || path === 'index.md') return ''
    if (/^api\/./.test(path)) return html.replace(/<(\/?)h[2-6]\b[^>]*>/g, '<$1p>')
    const found = words.get(path)
    if (found === undefined) return html
    // Behind the beginning of the page, which a result shows.
    const end = html.search(/<h2\b/)
    const [first, rest] = end < 0 ? [html, ''] : [html.slice(0, end), html.slice(end)]
    return `${first}<p>${found}</p>${rest}`
  }
}

/** How many characters of a section a result shows. */
const MOST_OF_A_LEAD = 160

/** Options of the index, which keeps the beginning of each section: a heading alone does not tell what a reader finds there. */
export const INDEX_OPTIONS = {
  storeFields: ['title', 'titles', 'lead'],
  extractField: (section, field) => (field === 'lead' ? leadOf(section.text) : section[field]),
}

/** The beginning of a text, of whole words. */
export function leadOf(text) {
  const line = text.trim().replace(/\s+/g, ' ')
  if (line.length <= MOST_OF_A_LEAD) return line
  return `${line.slice(0, line.lastIndexOf(' ', MOST_OF_A_LEAD))} …`
}
