import type { OpenApiDocument, OpenApiTag } from '../../contracts/openapi.js'
import { operationsIn } from '../../schema/path-item.js'
import { createContent, type DocsPage, type DocsSource, once } from './docs-page.js'
import { interactivePage } from './interactive-page.js'
import {
  type Html,
  html,
  iconContent,
  REFERENCE_POLICY,
  type VersionPlace,
  versionLinks,
} from './page-parts.js'
import {
  anchorOf,
  anchorOfOperation,
  keywordsMarkup,
  type ListedOperation,
  listMarkup,
  operationMarkup,
  responseMarkup,
  schemaMarkup,
  textMarkup,
} from './reference-markup.js'

/** The settings of a page, besides its document. */
export interface PageOptions {
  /** The `swagger-ui-dist` folder; `null` for the built-in page. */
  readonly peer: string | null
  /** In production, the Swagger UI page stores no credentials, and "Try it out" must be enabled with a click. */
  readonly isProduction: boolean
}

/**
 * Creates the page for a document: the Swagger UI page if `swagger-ui-dist` is installed, otherwise the built-in page.
 */
export function openPage(source: DocsSource, { peer, isProduction }: PageOptions): DocsPage {
  return peer === null
    ? referencePage(source.document(), source)
    : interactivePage(source, { directory: peer, isProduction })
}

interface Group extends OpenApiTag {
  readonly operations: ListedOperation[]
}

const DESCRIPTION: ReadonlySet<string> = new Set(['description'])

/**
 * Creates the built-in page for applications without `swagger-ui-dist`. It shows the whole document as plain HTML,
 * without scripts.
 */
export function referencePage(document: OpenApiDocument, place: VersionPlace = {}): DocsPage {
  return {
    page: createContent('text/html; charset=utf-8', renderPage(document, versionLinks(place)).text),
    policy: REFERENCE_POLICY,
    files: new Map([
      ['reference.css', once(() => createContent('text/css; charset=utf-8', REFERENCE_STYLE))],
      ['icon.svg', once(iconContent)],
    ]),
  }
}

function renderPage(document: OpenApiDocument, versions: Html): Html {
  const groups = groupsOf(document)
  const { responses, headers, schemas } = document.components
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${document.info.title}</title>
<link rel="icon" type="image/svg+xml" href="?icon.svg">
<link rel="stylesheet" href="?reference.css">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<nav aria-label="Contents"><ul>${groups.map(groupLinks)}${sectionLinks('schemas', schemas)}</ul></nav>
<main id="content">
${versions}${introduction(document)}
${groups.map((group) => groupMarkup(group, document))}
${componentsMarkup('responses', responses, (each) => html`${textMarkup(each.description)}${responseMarkup(each)}`)}
${componentsMarkup('headers', headers, (each) => html`${textMarkup(each.description)}${schemaMarkup(each.schema)}`)}
${componentsMarkup('schemas', schemas, schemaMarkup)}
</main>
</body>
</html>
`
}

/** Groups the operations by their first tag, in the order of the tags in the document. */
function groupsOf({ paths, tags }: OpenApiDocument): Group[] {
  const groups = new Map(tags.map((tag): [string, Group] => [tag.name, { ...tag, operations: [] }]))
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operationsIn(item))) {
      const { tags: [name = 'Other operations'] = [] } = operation
      const group = groups.get(name) ?? { name, operations: [] }
      group.operations.push({ method, path, operation })
      groups.set(name, group)
    }
  }
  return [...groups.values()].filter(({ operations }) => operations.length > 0)
}

function groupLinks({ name, summary, operations }: Group): Html {
  const links = operations.map((listed) => {
    const { method, path, operation } = listed
    return html`<li><a href="#${anchorOfOperation(listed)}">${method.toUpperCase()} ${operation.summary ?? path}</a></li>`
  })
  return html`<li><a href="#${anchorOf('tag', name)}">${summary ?? name}</a>${listMarkup(links)}</li>`
}

function sectionLinks(kind: string, components: object = {}): Html {
  const links = Object.keys(components).map(
    (name) => html`<li><a href="#${anchorOf(kind, name)}">${name}</a></li>`,
  )
  return html`${links.length === 0 ? null : html`<li><a href="#${kind}">${titleOf(kind)}</a>${listMarkup(links)}</li>`}`
}

function introduction({ info, servers, components }: OpenApiDocument): Html {
  const { title, version, description, contact = {}, license = {}, termsOfService } = info
  const about = [...Object.values(contact), ...Object.values(license), termsOfService]
  const places = servers.map(
    ({ url, description }) =>
      html`<li><code>${url}</code>${/^https?:/i.test(url) ? null : ' (relative to the address of the document)'}${textMarkup(description)}</li>`,
  )
  return html`<h1>${title} <small>${version}</small></h1>
${textMarkup(description)}${textMarkup(about.filter(Boolean).join(' · '))}
<p><a href="?openapi.json">OpenAPI as JSON</a> <a href="?openapi.yaml">as YAML</a></p>
<p>To send requests from this page, install its interactive version: <code>npm install swagger-ui-dist</code></p>
<h2>Servers</h2>${listMarkup(places)}
${componentsMarkup('credentials', components.securitySchemes, (scheme) => html`${textMarkup(scheme.description)}${keywordsMarkup(scheme, DESCRIPTION)}`)}`
}

function groupMarkup(group: Group, document: OpenApiDocument): Html {
  const { name, summary, description, operations } = group
  return html`<section id="${anchorOf('tag', name)}"><h2>${summary ?? name}</h2>${textMarkup(description)}
${operations.map((listed) => operationMarkup(listed, document))}</section>
`
}

/** Renders the document's components. Each component is shown once, and each reference links to it. */
function componentsMarkup<T>(
  kind: string,
  components: Readonly<Record<string, T>> = {},
  render: (component: T) => Html,
): Html | null {
  const articles = Object.entries(components).map(([name, component]) => {
    const anchor = anchorOf(kind, name)
    return html`<article id="${anchor}"><h3><a href="#${anchor}">${name}</a></h3>${render(component)}</article>\n`
  })
  if (articles.length === 0) return null
  return html`<section id="${kind}"><h2>${titleOf(kind)}</h2>${articles}</section>`
}

function titleOf(kind: string): string {
  return kind.charAt(0).toUpperCase() + kind.slice(1)
}

/** The stylesheet of the built-in page. It uses the browser's system colours, which can be light or dark. */
const REFERENCE_STYLE = `:root { color-scheme: light dark; --quiet: color-mix(in srgb, CanvasText 70%, Canvas); --line: color-mix(in srgb, CanvasText 18%, Canvas) }
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
