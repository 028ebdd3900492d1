import type {
  OpenApiDocument,
  OpenApiInfo,
  OpenApiSecurityScheme,
} from '../../contracts/openapi-3-0.js'
import { lowerDocument } from '../../schema/dialect/rewrite-schema.js'
import { createContent, once } from './content.js'
import type { DocsPage, DocsSource, FileLink, PagePlace } from './docs-page.js'
import { ICON_FILE, STYLE_FILE } from './file-names.js'
import { type Html, html } from './html.js'
import { iconContent } from './icon.js'
import { anchorOf, listOperations, type OperationGroup } from './list-operations.js'
import { fromFolder } from './locate.js'
import { LOCK, methodMarkup, operationMarkup } from './operation-markup.js'
import { REFERENCE_POLICY, serializePolicy } from './policy.js'
import { REFERENCE_STYLE } from './reference-style.js'
import { paragraphs, schemaMarkup, typeMarkup } from './schema-markup.js'

/**
 * Creates the built-in page, for applications without `swagger-ui-dist`: the whole document as plain HTML,
 * without scripts.
 */
export function referencePage(source: DocsSource): DocsPage {
  return {
    files: {
      [STYLE_FILE]: once(() => createContent('text/css; charset=utf-8', REFERENCE_STYLE)),
      [ICON_FILE]: once(iconContent),
    },
    policy: once(() => serializePolicy(REFERENCE_POLICY)),
    servers: () => serversOf(lowerDocument(source.document())).map(({ url }) => url),
    render: (place, link) => renderPage(source, place, link).text,
  }
}

/** Without servers, the API is at the root of the document's host (OpenAPI 3.0.3, section 4.7.1). */
function serversOf({ servers }: OpenApiDocument): OpenApiDocument['servers'] {
  return servers.length > 0 ? servers : [{ url: '/' }]
}

function renderPage(source: DocsSource, place: PagePlace, link: FileLink): Html {
  const described = lowerDocument(source.document())
  const groups = listOperations(described)
  const [address = ''] = place.addresses
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
${navigationMarkup(groups, described)}
<main id="content">
${introduction(described, place, fromFolder(source.path))}
${groups.map((group) => groupMarkup(group, described, address))}${schemasMarkup(described)}
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
    return html`<li><a class="tag" href="#${anchor}">${tag.summary ?? tag.name}</a><ul>${links}</ul></li>`
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
  { folder, addresses }: PagePlace,
  name: string,
): Html {
  const href = folder + name
  const schemes = Object.entries(components.securitySchemes ?? {}).map(
    ([name, scheme]) =>
      html`<div><dt>${LOCK} ${name}</dt><dd>${schemeMarkup(scheme)}${paragraphs(scheme.description)}</dd></div>`,
  )
  const served = servers.map(
    ({ description }, i) =>
      html`<div><dt>Server</dt><dd><code>${addresses[i] ?? null}</code>${paragraphs(description)}</dd></div>`,
  )
  return html`<header class="introduction">
<h1>${info.title} <span class="version">${info.version}</span></h1>
${paragraphs(info.description)}
<dl>${served}${schemes}${aboutMarkup(info)}</dl>
<p class="formats"><a href="${href}.json">OpenAPI as JSON</a> <a href="${href}.yaml">as YAML</a></p>
<p class="hint">To send requests from this page, install its interactive version: <code>npm install swagger-ui-dist</code></p>
</header>`
}

/** How a client sends the credential of a scheme. */
function schemeMarkup({
  type,
  scheme,
  in: place,
  name,
  openIdConnectUrl,
  flows,
}: OpenApiSecurityScheme): Html {
  if (type === 'apiKey' && place === 'header') return html`<code>${name ?? ''}: &lt;key&gt;</code>`
  if (type === 'apiKey' && place === 'cookie') {
    return html`<code>Cookie: ${name ?? ''}=&lt;value&gt;</code><p>A browser sends the cookie by itself after a login. Pages cannot set it for a request.</p>`
  }
  if (type === 'apiKey') return html`<code>?${name ?? ''}=&lt;key&gt;</code>`
  if (type === 'mutualTLS') return html`<p>A certificate of the client</p>`
  const isBearer = type !== 'http' || scheme?.toLowerCase() === 'bearer'
  const urls = [
    openIdConnectUrl,
    ...Object.values(flows ?? {}).flatMap((flow) => [flow.authorizationUrl, flow.tokenUrl]),
  ].filter((url) => url !== undefined)
  const links = urls.map((url) => html` ${linkMarkup(url, url)}`)
  return html`<code>Authorization: ${isBearer ? 'Bearer' : (scheme ?? '')} &lt;token&gt;</code>${links}`
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

/** A URL from the document becomes a link only with a scheme that cannot run code. */
function linkMarkup(text: string, url: string | undefined): Html {
  const isSafe = url !== undefined && /^(?:https?|mailto):/i.test(url)
  return isSafe ? html`<a href="${url}" rel="noreferrer">${text}</a>` : html`${text}`
}

function groupMarkup(group: OperationGroup, document: OpenApiDocument, address: string): Html {
  const { anchor, tag, operations } = group
  return html`<section id="${anchor}">
<h2>${tag.summary ?? tag.name}</h2>
${paragraphs(tag.description)}
${operations.map((listed) => operationMarkup(listed, document, address))}</section>
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
