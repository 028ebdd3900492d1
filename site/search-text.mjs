// What the search finds on a page.

/**
 * The HTML of a page for the index of the search: with the words that readers search for, from the navigation. A page of the
 * API reference is one result, whose title is the name; the headings in it are the same on all of these pages.
 *
 * @param words By the path of a page on the site, with `.md`.
 */
export function searchTextOf(words) {
  return (source, env, md) => {
    const html = md.render(source, env)
    const path = env.relativePath
    if (env.frontmatter?.search === false || path === 'index.md') return ''
    if (/^api\/./.test(path)) return html.replace(/<(\/?)h[2-6]\b[^>]*>/g, '<$1p>')
    const found = words.get(path)
    return found === undefined ? html : html.replace('</h1>', `</h1><p>${found}</p>`)
  }
}
