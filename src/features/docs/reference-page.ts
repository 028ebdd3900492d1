import type { OpenApiDocument, OpenApiInfo } from '../../contracts/openapi.js'
import { absoluteServer } from './absolute-server.js'
import { createContent, once } from './content.js'
import type { DocsPage, DocsSource, FileLink, PageLocation } from './docs-page.js'
import { Html, html } from './html.js'
import { ICON_FILE, iconContent } from './icon.js'
import { anchorOf, listOperations, type OperationGroup } from './list-operations.js'
import { LOCK, methodMarkup, operationMarkup } from './operation-markup.js'
import { REFERENCE_POLICY, serializePolicy } from './policy.js'
import { REFERENCE_STYLE } from './reference-style.js'
import { paragraphs, schemaMarkup, typeMarkup } from './schema-markup.js'

const STYLE_FILE = 'reference.css'

/** Stands for the server's address, which only a request knows; a private character, so nothing else means it. */
const SERVER = '\uE000'

/** The page of those who have not installed `swagger-ui-dist`: all of the document as plain HTML, and no script. */
export function referencePage(source: DocsSource): DocsPage {
  // Rendered once: of 1,000 operations it takes 150 ms, and clients choose the `Host` of their requests.
  const parts = once(() => renderParts(source.document()))
  return {
    files: {
      [STYLE_FILE]: once(() => createContent('text/css; charset=utf-8', REFERENCE_STYLE)),
      [ICON_FILE]: once(iconContent),
    },
    policy: once(() => serializePolicy(REFERENCE_POLICY)),
    render: (location, link) => {
      const server = source.document().servers[0]?.url ?? '/'
      // A quote would end the shell's word; in a URL it has another spelling.
      const address = absoluteServer(server, location.url).replaceAll("'", '%27')
      const { navigation, body } = parts()
      const operations = new Html(body.join(html`${address}`.text))
      return renderPage({ ...source, navigation, operations }, location, link).text
    },
  }
}

interface RenderedSource extends DocsSource {
  readonly navigation: Html
  readonly operations: Html
}

function renderPage(source: RenderedSource, location: PageLocation, link: FileLink): Html {
  const { navigation, operations } = source
  const described = source.document()
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${described.info.title}</title>
<link rel="icon" type="image/svg+xml" href="${link(ICON_FILE)}">
<link rel="stylesheet" href="${link(STYLE_FILE)}">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
${navigation}
<main id="content">
${introduction(described, location)}
${operations}
</main>
</body>
</html>
`
}

function navigationMarkup(
  groups: readonly OperationGroup[],
  { info, components }: OpenApiDocument,
): Html {
  const items = groups.map(({ anchor, tag, operations }) => {
    const links = operations.map(
      (listed) =>
        html`<li><a href="#${listed.anchor}">${methodMarkup(listed)} <span>${listed.operation.summary ?? listed.path}</span>${listed.schemes.length > 0 ? LOCK : null}</a></li>`,
    )
    return html`<li><a class="tag" href="#${anchor}">${tag.name}</a><ul>${links}</ul></li>`
  })
  const names = Object.keys(components.schemas ?? {})
  const schemas = names.map(
    (name) => html`<li><a href="#${anchorOf('schema', name)}">${name}</a></li>`,
  )
  return html`<nav aria-label="Contents">
<a class="home" href="#content">${info.title}</a>
<ul>${items}${names.length > 0 ? html`<li><a class="tag" href="#schemas">Schemas</a><ul>${schemas}</ul></li>` : null}</ul>
</nav>`
}

function introduction(
  { info, servers, components }: OpenApiDocument,
  location: PageLocation,
): Html {
  const href = location.folder + location.document
  const schemes = Object.entries(components.securitySchemes ?? {}).map(
    ([name, scheme]) =>
      html`<div><dt>${LOCK} ${name}</dt><dd><code>Authorization: Bearer &lt;token&gt;</code>${paragraphs(scheme.description)}</dd></div>`,
  )
  const addresses = servers.map(
    ({ url, description }) =>
      html`<div><dt>Server</dt><dd><code>${absoluteServer(url, location.url)}</code>${paragraphs(description)}</dd></div>`,
  )
  return html`<header class="introduction">
<h1>${info.title} <span class="version">${info.version}</span></h1>
${paragraphs(info.description)}
<dl>${addresses}${schemes}${aboutMarkup(info)}</dl>
<p class="formats"><a href="${href}.json">OpenAPI as JSON</a> <a href="${href}.yaml">as YAML</a></p>
<p class="hint">To send requests from this page, install its interactive version: <code>npm install swagger-ui-dist</code></p>
</header>`
}

function aboutMarkup({ contact, license, termsOfService }: OpenApiInfo): Html {
  const rows: [label: string, text: string, url: string | undefined][] = []
  if (contact !== undefined) {
    const { name, email, url } = contact
    const text = name ?? email ?? url ?? ''
    rows.push(['Contact', text, url ?? (email === undefined ? undefined : `mailto:${email}`)])
  }
  if (license !== undefined) rows.push(['License', license.name, license.url])
  if (termsOfService !== undefined) rows.push(['Terms', termsOfService, termsOfService])
  return html`${rows.map(
    ([label, text, url]) => html`<div><dt>${label}</dt><dd>${linkMarkup(text, url)}</dd></div>`,
  )}`
}

/** An address of an author becomes a link only under a scheme that runs nothing. */
function linkMarkup(text: string, url: string | undefined): Html {
  const isSafe = url !== undefined && /^(?:https?|mailto):/i.test(url)
  return isSafe ? html`<a href="${url}" rel="noreferrer">${text}</a>` : html`${text}`
}

/** What is the same wherever the page is asked for; the body in pieces, between which the server's address belongs. */
function renderParts(document: OpenApiDocument): { navigation: Html; body: readonly string[] } {
  const groups = listOperations(document)
  const articles = groups.map((group) => groupMarkup(group, document))
  const body = html`${articles}${schemasMarkup(document)}`.text.split(SERVER)
  return { navigation: navigationMarkup(groups, document), body }
}

function groupMarkup(group: OperationGroup, document: OpenApiDocument): Html {
  const { anchor, tag, operations } = group
  return html`<section id="${anchor}">
<h2>${tag.name}</h2>
${paragraphs(tag.description)}
${operations.map((listed) => operationMarkup(listed, document, SERVER))}</section>
`
}

function schemasMarkup({ components: { schemas = {} } }: OpenApiDocument): Html | null {
  const entries = Object.entries(schemas)
  if (entries.length === 0) return null
  return html`<section id="schemas">
<h2>Schemas</h2>
${entries.map(([name, schema]) => {
  const anchor = anchorOf('schema', name)
  return html`<article class="schema" id="${anchor}"><h3><a href="#${anchor}">${name}</a> <span class="type">${typeMarkup(schema)}</span></h3>${schemaMarkup(schema)}</article>\n`
})}</section>`
}
