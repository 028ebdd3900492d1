import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { OpenApiDocument } from '../../contracts/openapi.js'
import { operationsIn } from '../../schema/path-item.js'
import { type Content, createContent, type DocsPage, type DocsSource, once } from './docs-page.js'
import { html, iconContent, interactivePolicy, versionLinks } from './page-parts.js'

// The loaded files. All applications in a process share them, because the files are identical and one of them has 1.7
// MB.
const files = new Map<string, () => Promise<Content>>()

/** Returns a function that loads a `swagger-ui-dist` file on its first call. */
function peerFile(directory: string, name: string, type: string): () => Promise<Content> {
  const path = join(directory, name)
  const known = files.get(path)
  if (known !== undefined) return known
  const load = once(async () => createContent(type, await readFile(path)))
  files.set(path, load)
  return load
}

/** The options of {@link interactivePage}. */
export interface InteractiveOptions {
  /** The `swagger-ui-dist` folder. */
  readonly directory: string
  readonly isProduction: boolean
}

/** The minimum number of operations for which the page has a search field. */
const MIN_FILTERED = 21

const JAVASCRIPT = 'text/javascript; charset=utf-8'
const CSS = 'text/css; charset=utf-8'

/**
 * Creates the Swagger UI page. Every script and stylesheet is a file, because the Content Security Policy forbids
 * inline code.
 */
export function interactivePage(source: DocsSource, options: InteractiveOptions): DocsPage {
  const { directory, isProduction } = options
  const script = (text: () => string) => once(() => createContent(JAVASCRIPT, text()))
  const files = new Map<string, () => Content | Promise<Content>>([
    ['swagger-ui.css', peerFile(directory, 'swagger-ui.css', CSS)],
    ['docs.css', once(() => createContent(CSS, INTERACTIVE_STYLE + STREAM_STYLE))],
    ['icon.svg', once(iconContent)],
    ['swagger-ui-bundle.js', peerFile(directory, 'swagger-ui-bundle.js', JAVASCRIPT)],
    // Stores the input of the "Authorize" dialog.
    ...(isProduction ? [] : [['session-authorization.js', script(() => SESSION_SCRIPT)] as const]),
    ['streams.js', script(() => STREAM_SCRIPT)],
    ['init.js', script(() => initScript(source, isProduction))],
  ])
  const document = source.document()
  return {
    page: createContent('text/html; charset=utf-8', renderPage(source, [...files.keys()])),
    policy: interactivePolicy(document),
    files,
  }
}

/** Renders the page, which loads the files in the given order. */
function renderPage(source: DocsSource, files: readonly string[]): string {
  const { info } = source.document()
  const styles = files.filter((name) => name.endsWith('.css'))
  const scripts = files.filter((name) => name.endsWith('.js'))
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title}</title>
<link rel="icon" type="image/svg+xml" href="?icon.svg">
${styles.map((name) => html`<link rel="stylesheet" href="?${name}">\n`)}
${scripts.map((name) => html`<script src="?${name}" defer></script>\n`)}
</head>
<body>
${versionLinks(source)}<div id="swagger-ui"></div>
<noscript>This page needs JavaScript. The document itself does not: <a href="?openapi.json">JSON</a>, <a href="?openapi.yaml">YAML</a>.</noscript>
</body>
</html>
`.text
}

function initScript({ path, document }: DocsSource, isProduction: boolean): string {
  const options = {
    validatorUrl: null,
    queryConfigEnabled: false,
    deepLinking: true,
    tryItOutEnabled: !isProduction,
    displayRequestDuration: true,
    filter: countOperations(document()) >= MIN_FILTERED,
    persistAuthorization: false,
  }
  const config = { document: path === '/' ? '/.json' : '.json', options }
  return `const config = ${JSON.stringify(config, null, 2)}\n\n${INIT_SCRIPT}`
}

function countOperations({ paths }: OpenApiDocument): number {
  return Object.values(paths).reduce(
    (count, item) => count + Object.keys(operationsIn(item)).length,
    0,
  )
}

/**
 * Shows a stream while it arrives. Swagger UI waits for the end of a response, but a stream may never end. When the
 * stream ends, becomes too long, or is stopped by the user, Swagger UI receives the text that has arrived as the
 * response.
 */
const STREAM_SCRIPT = `globalThis.followStreams = (() => {
  const STREAMS = /^(?:text\\/event-stream|application\\/jsonl)\\b/i
  const MOST = 1000000
  const SHOWN = 4000

  const panel = (url) => {
    const box = document.createElement('section')
    box.className = 'stream'
    box.setAttribute('aria-label', 'Stream')
    const title = document.createElement('h2')
    title.textContent = 'Receiving ' + new URL(url, location.href).pathname
    const stop = document.createElement('button')
    stop.type = 'button'
    stop.textContent = 'Stop'
    const output = document.createElement('pre')
    output.setAttribute('role', 'log')
    output.tabIndex = 0
    box.append(title, stop, output)
    document.body.append(box)
    return { box, stop, output }
  }

  const readAll = async (response, url) => {
    const { box, stop, output } = panel(url)
    const reader = response.body.getReader()
    const decoder = new TextDecoder()
    stop.addEventListener('click', () => void reader.cancel())
    let text = ''
    try {
      while (text.length < MOST) {
        const { done, value } = await reader.read()
        if (done) break
        text += decoder.decode(value, { stream: true })
        output.textContent = text.slice(-SHOWN)
        output.scrollTop = output.scrollHeight
      }
      if (text.length >= MOST) await reader.cancel()
    } catch (error) {
      text += '\\n' + String(error)
    } finally {
      box.remove()
    }
    return text
  }

  const fetchStream = async (url, init) => {
    const response = await fetch(url, init)
    const type = response.headers.get('content-type') ?? ''
    if (response.body === null || !STREAMS.test(type)) return response
    const { status, statusText, headers } = response
    return new Response(await readAll(response, url), { status, statusText, headers })
  }

  return (request) => {
    request.userFetch = fetchStream
    return request
  }
})()
`

const STREAM_STYLE = `.stream { position: fixed; inset: auto 0 0 0; z-index: 10; display: grid; grid-template-columns: 1fr auto; gap: .5rem 1rem; align-items: center; padding: 1rem; background: #fff; border-top: 2px solid #3b4151; font-family: system-ui, sans-serif }
.stream h2 { margin: 0; font-size: 1rem; overflow-wrap: anywhere }
.stream button { padding: .4rem 1rem; font: inherit; cursor: pointer }
.stream pre { grid-column: 1 / -1; margin: 0; max-height: 30vh; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem }
@media (prefers-color-scheme: dark) { .stream { background: #1c2022; border-color: #e4e6e6 } }
`

/**
 * Starts Swagger UI; `config` is declared before this script. The document URL is derived from the page URL, so it is
 * valid under every prefix. It includes the path, because the server URLs in the document may be relative to the
 * document URL.
 */
const INIT_SCRIPT = `const url = location.pathname.replace(/\\/?$/, config.document)
const session = globalThis.sessionAuthorization

const dark = matchMedia('(prefers-color-scheme: dark)')
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', paint)
paint()

SwaggerUIBundle({
  ...config.options,
  url,
  dom_id: '#swagger-ui',
  layout: 'BaseLayout',
  presets: [SwaggerUIBundle.presets.apis],
  requestInterceptor: globalThis.followStreams,
  plugins: session === undefined ? [] : [session(url)],
})
`

/**
 * Stores the input of the "Authorize" dialog while the tab is open. The script is served in development only. Swagger
 * UI itself uses `localStorage`, which never expires and which every page of the origin can read.
 */
const SESSION_SCRIPT = `globalThis.sessionAuthorization = (url) => {
  const key = 'authorization of ' + url
  const read = () => {
    try {
      return JSON.parse(sessionStorage.getItem(key))
    } catch {
      return null
    }
  }
  const write = (authorized) => {
    try {
      sessionStorage.setItem(key, JSON.stringify(authorized))
    } catch {
      // Storage may be disabled or full. The input is then lost when the page closes.
    }
  }
  return () => ({
    statePlugins: {
      auth: {
        wrapActions: {
          persistAuthorizationIfNeeded: (_original, system) => () =>
            write(system.authSelectors.authorized().toJS()),
        },
      },
      configs: {
        wrapActions: {
          loaded: (original, system) => (...args) => {
            original(...args)
            const authorized = read()
            if (authorized !== null) system.authActions.restoreAuthorization({ authorized })
          },
        },
      },
    },
  })
}
`

/**
 * Styles that Swagger UI does not set: the page background, and layouts for screens that are too narrow for its tables.
 */
const INTERACTIVE_STYLE = `html { background: #fff; color-scheme: light }
body { margin: 0 }
noscript { display: block; padding: 2rem; font: 1rem/1.5 system-ui, sans-serif }
body > p { margin: 0; padding: 1rem 20px 0; font: 1rem/1.5 system-ui, sans-serif }
.swagger-ui .info { margin: 2rem 0 }
.swagger-ui .info .title, .swagger-ui .markdown p { overflow-wrap: anywhere }
/* The document has no links between operations to show. */
.swagger-ui .response-col_links { display: none }
@media (max-width: 40rem) {
  .swagger-ui .wrapper { padding: 0 .75rem }
  .swagger-ui .scheme-container { padding: 1rem 0 }
  .swagger-ui .opblock-tag { flex-wrap: wrap; padding: .5rem 0 }
  .swagger-ui .opblock .opblock-section-header { padding: .5rem .75rem }
  .swagger-ui .opblock-description-wrapper,
  .swagger-ui .opblock .table-container,
  .swagger-ui .responses-inner { padding: .75rem }
  .swagger-ui .opblock-section-request-body .opblock-description-wrapper { padding: .75rem }
  .swagger-ui .responses-table,
  .swagger-ui .responses-table > tbody,
  .swagger-ui .responses-table > tbody > tr,
  .swagger-ui .responses-table > tbody > tr > td { display: block; width: auto; max-width: 100%; min-width: 0 }
  .swagger-ui .responses-table > thead { display: none }
  .swagger-ui .responses-table > tbody > tr > td { padding: .35rem 0 }
  .swagger-ui .table-container > table,
  .swagger-ui .table-container > table > tbody,
  .swagger-ui .table-container > table > tbody > tr,
  .swagger-ui .table-container > table > tbody > tr > td { display: block; width: auto; max-width: 100%; min-width: 0 }
  .swagger-ui .table-container > table > thead { display: none }
  .swagger-ui .table-container > table > tbody > tr > td { padding: .35rem 0 }
  .swagger-ui .parameters input:not([type=checkbox]), .swagger-ui .parameters select, .swagger-ui textarea { max-width: 100%; min-width: 0; width: 100% }
  .swagger-ui .dialog-ux .modal-ux { min-width: 0; width: calc(100vw - 1.5rem) }
  .swagger-ui section.models { margin: 1.5rem 0 }
  .swagger-ui .model-container, .swagger-ui .model-box { max-width: 100%; overflow-x: auto }
}
@media (prefers-color-scheme: dark) {
  html { background: #1c2022; color-scheme: dark; color: #e4e6e6 }
  .swagger-ui .headers .header-col { color: #e4e6e6 }
}
`
