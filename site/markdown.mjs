// What the site changes in the HTML that markdown-it makes.

/** A wide table scrolls, so the keyboard has to reach it, and a cell without text is not a heading. */
export function adaptTables(md) {
  md.renderer.rules.table_open = () =>
    '<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n'
  md.renderer.rules.table_close = () => '</table></div>\n'
  md.core.ruler.push('empty-heading', ({ tokens }) => {
    tokens.forEach((token, index) => {
      if (token.type !== 'th_open' || tokens[index + 1].content !== '') return
      token.tag = 'td'
      tokens[index + 2].tag = 'td'
    })
  })
}
