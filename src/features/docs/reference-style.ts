/** The stylesheet of the built-in page. The system colours of the browser are light or dark. */
export const REFERENCE_STYLE = `:root { color-scheme: light dark; --quiet: color-mix(in srgb, CanvasText 70%, Canvas); --line: color-mix(in srgb, CanvasText 18%, Canvas) }
* { box-sizing: border-box; scroll-margin-top: 1rem }
body { margin: 0; background: Canvas; color: CanvasText; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
code, pre, .type { font: .875em/1.5 ui-monospace, Menlo, Consolas, monospace; white-space: pre-wrap }
a { color: LinkText }
p { margin: .25rem 0; white-space: pre-line }
ul, dl, dd { margin: 0; padding: 0; list-style: none }
h1, h2, h3, h4 { margin: 1.5rem 0 .5rem; line-height: 1.3 }
h2, article { border-bottom: 1px solid var(--line); padding-bottom: .5rem }
h3 { font-size: 1.0625rem }
h3 a, h3 code { color: inherit; font-size: inherit }
li > code:first-child { font-weight: bold }
:target > h3 { outline: 2px solid; outline-offset: 4px }
small, dt, em, .type { color: var(--quiet); font-style: normal }
em, dl { font-size: .875rem }
dl { display: flex; flex-wrap: wrap; gap: 0 1rem }
dl div { display: flex; gap: .35rem }
main { padding: 1rem; max-width: 56rem }
main li { padding: .4rem 0 0 .75rem; border-left: 2px solid var(--line) }
details[open] { padding-left: .75rem }
pre { margin: .5rem 0; padding: .5rem .75rem; border: 1px solid var(--line) }
nav { padding: 1rem; font-size: .9375rem }
nav a { text-decoration: none }
nav ul ul { display: none }
.skip:not(:focus) { position: absolute; left: -100vw }
@media (min-width: 62rem) {
  body { display: grid; grid-template-columns: 18rem minmax(0, 1fr) }
  nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; border-right: 1px solid var(--line) }
  nav ul ul { display: block; padding: 0 0 1rem .75rem }
  main { padding: 1rem 2rem 6rem }
}
`
