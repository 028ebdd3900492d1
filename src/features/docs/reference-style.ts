/** The stylesheet of the built-in page. */
export const REFERENCE_STYLE = `:root {
  color-scheme: light dark;
  --ground: #fff; --raised: #f6f7f9; --line: #e3e6eb; --text: #1c2330; --quiet: #5b6472;
  --link: #3050c8; --focus: #3457d5; --warn: #8f4a00;
  --get: #0b5cad; --post: #17703a; --put: #8a5300; --patch: #6b3fb5; --delete: #b3261e; --other: #4a5565;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171c; --raised: #1c2027; --line: #2d333d; --text: #e4e7ec; --quiet: #9aa4b2;
    --link: #9db4ff; --focus: #9db4ff; --warn: #f0b26b;
    --get: #7ab8f5; --post: #6fd195; --put: #ecb560; --patch: #c3a4f5; --delete: #f59a93; --other: #b4bdca;
  }
}
* { box-sizing: border-box }
html { scroll-padding-top: 1.5rem; -webkit-text-size-adjust: 100% }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth } }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.6 var(--sans); overflow-wrap: anywhere }
a { color: var(--link); text-decoration: none }
a:hover { text-decoration: underline }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 3px }
code, pre { font: .875em/1.6 var(--mono) }
ul, dl, dd { margin: 0; padding: 0; list-style: none }
p { margin: .5rem 0; white-space: pre-line }
h1, h2, h3, h4 { line-height: 1.3; font-weight: 600; margin: 0 }
.icon { vertical-align: -2px }
.skip { position: absolute; left: -100vw; top: 0; padding: .5rem 1rem; background: var(--ground); z-index: 1 }
.skip:focus { left: 0 }

nav { padding: 1.25rem 1.25rem 0 }
nav .home { font-weight: 600; color: var(--text) }
nav > ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin-top: .5rem }
nav ul ul { display: none }
main { padding: 1.25rem; max-width: 54rem }

h1 { font-size: 1.75rem; letter-spacing: -.015em }
.version { font: .8125rem/1 var(--mono); color: var(--quiet); border: 1px solid var(--line); border-radius: 1rem; padding: .2rem .55rem; vertical-align: middle; letter-spacing: 0; white-space: nowrap }
.introduction { padding-bottom: 1rem }
.introduction dl { margin: 1.25rem 0; border-top: 1px solid var(--line) }
.introduction dl div { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .5rem 0; border-bottom: 1px solid var(--line) }
.introduction dt { flex: 0 0 9rem; color: var(--quiet) }
.introduction dd { flex: 1 1 15rem }
.introduction dd p { margin: .25rem 0 0; color: var(--quiet); font-size: .9375rem }
.formats { display: flex; flex-wrap: wrap; gap: 0 1.25rem }
.hint { color: var(--quiet); font-size: .875rem; border-left: 3px solid var(--line); padding-left: .75rem }
.hint code { color: var(--text) }

section { padding-top: 2rem }
h2 { font-size: 1.375rem; letter-spacing: -.01em; padding-bottom: .5rem; border-bottom: 1px solid var(--line) }
article { padding: 1.75rem 0; border-bottom: 1px solid var(--line) }
article:last-child { border-bottom: 0 }
article:target h3 { box-shadow: -.75rem 0 0 var(--ground), -1rem 0 0 var(--focus) }
h3 { font-size: 1rem }
h3 a { color: inherit; display: flex; align-items: baseline; gap: .6rem }
.schema h3 { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 .6rem }
.path { font-size: 1rem }
.summary { margin: .5rem 0; font-size: 1.0625rem }
.lock { white-space: nowrap; color: var(--quiet); font-size: .8125rem; margin-left: .25rem }
h4 { margin: 1.5rem 0 .25rem; font-size: .8125rem; color: var(--quiet) }

.method { flex: none; font: 600 .6875rem/1 var(--mono); letter-spacing: .03em; padding: .3rem .4rem; border-radius: 4px; color: var(--hue); background: color-mix(in srgb, var(--hue) 12%, transparent); --hue: var(--other) }
.get { --hue: var(--get) } .post { --hue: var(--post) } .put { --hue: var(--put) }
.patch { --hue: var(--patch) } .delete { --hue: var(--delete) }

.fields > li { padding: .6rem 0; border-top: 1px solid var(--line) }
.fields > li:first-child { border-top: 0 }
.field { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 .6rem }
.name { font-weight: 600 }
.type { color: var(--quiet); font: .8125rem/1.6 var(--mono) }
.mark { color: var(--quiet); font: 400 .75rem/1.6 var(--sans) }
.required { color: var(--warn) }
.deprecated { color: var(--warn); border: 1px solid currentColor; border-radius: 1rem; padding: 0 .45rem }
.fields p { margin: .15rem 0; font-size: .9375rem }
.fields .fields, .nested, .variants { margin: .35rem 0 0 .25rem; padding-left: .9rem; border-left: 2px solid var(--line) }
.nested .fields, .variants > .fields { margin: 0; padding: 0; border: 0 }
.label code { font-size: inherit }
.label, .fields .label { margin: .5rem 0 .15rem; color: var(--quiet); font-size: .8125rem }
.limits { display: flex; flex-wrap: wrap; gap: 0 .9rem; color: var(--quiet); font-size: .8125rem }
.limits code { color: var(--text) }

.responses { border: 1px solid var(--line); border-radius: 8px; margin-top: .5rem }
.response { margin: 0; border-top: 1px solid var(--line) }
.response:first-child { border-top: 0 }
p.response, .response summary { padding: .55rem .9rem .55rem 2rem; font-size: .9375rem }
.response summary { cursor: pointer; list-style: none; position: relative }
.response summary::-webkit-details-marker { display: none }
.response summary::before { content: ""; position: absolute; left: .9rem; top: 1.05rem; width: .4rem; height: .4rem; border: solid var(--quiet); border-width: 0 1.5px 1.5px 0; transform: rotate(-45deg) }
.response[open] summary::before { transform: rotate(45deg) }
.response summary:hover { background: var(--raised); border-radius: 8px }
.response .content { padding: 0 .9rem .75rem 2rem }
.status { font-weight: 600; margin-right: .4rem; color: var(--quiet) }
.s2 { color: var(--post) } .s3 { color: var(--get) } .s4 { color: var(--put) } .s5 { color: var(--delete) }

pre { margin: .5rem 0 0; padding: .8rem 1rem; background: var(--raised); border: 1px solid var(--line); border-radius: 8px; overflow-x: auto; overflow-wrap: normal; font-size: .8125rem }
pre code { font-size: inherit }
.curl code { -webkit-user-select: all; user-select: all; cursor: copy }

@media (min-width: 62rem) {
  body { display: grid; grid-template-columns: 18rem minmax(0, 1fr) }
  nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 2rem 1.25rem; background: var(--raised); border-right: 1px solid var(--line); font-size: .875rem }
  nav > ul { display: block; margin-top: 1.25rem }
  nav ul ul { display: block; margin: .25rem 0 1.25rem }
  nav .home { font-size: 1rem }
  nav .tag { font-weight: 600; color: var(--text) }
  nav ul ul a { display: flex; align-items: baseline; gap: .5rem; margin: 0 -.5rem; padding: .2rem .5rem; border-radius: 5px; color: var(--quiet) }
  nav ul ul a:hover { color: var(--text); background: color-mix(in srgb, var(--quiet) 12%, transparent); text-decoration: none }
  nav .method { width: 3.1rem; padding: 0; background: none; font-size: .625rem }
  nav .icon { flex: none; margin-left: auto; width: 12px; align-self: center }
  main { padding: 2rem 3rem 6rem }
}
@media print { nav, .skip, .hint { display: none } }
`
