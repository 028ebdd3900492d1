import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { OpenApiDocument } from '../../contracts/openapi.js'
import { operationsIn } from '../../schema/path-item.js'
import { type Content, createContent, once } from './content.js'
import type { DocsPage, DocsSource } from './docs-page.js'
import { html } from './html.js'
import { iconContent } from './icon.js'
import { INIT_SCRIPT, INTERACTIVE_STYLE, SESSION_SCRIPT } from './interactive-files.js'
import { interactivePolicy } from './policy.js'
import { versionLinks } from './version-links.js'

// Shared by all applications of a process, because the files are the same for all and one has 1.7 MB.
const files = new Map<string, () => Promise<Content>>()

/** Returns a function that loads a file of `swagger-ui-dist`, at its first call. */
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
  /** The folder of `swagger-ui-dist`. */
  readonly directory: string
  readonly isProduction: boolean
}

/** The page has a search field from this number of operations on. */
const MIN_FILTERED = 21

const JAVASCRIPT = 'text/javascript; charset=utf-8'
const CSS = 'text/css; charset=utf-8'

/**
 * Creates the page of swagger-ui. Every script and every style is a file, because the policy allows nothing
 * inline.
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

/** Renders the page. It loads the files in their order. */
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
 * Shows a stream while it arrives. swagger-ui waits for the end of a response, which a stream may never have. The text so far
 * is the response that swagger-ui gets, when the stream ends, when the reader stops it, or when it is long.
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

/** The styles of the panel that shows a stream. */
const STREAM_STYLE = `.stream { position: fixed; inset: auto 0 0 0; z-index: 10; display: grid; grid-template-columns: 1fr auto; gap: .5rem 1rem; align-items: center; padding: 1rem; background: #fff; border-top: 2px solid #3b4151; font-family: system-ui, sans-serif }
.stream h2 { margin: 0; font-size: 1rem; overflow-wrap: anywhere }
.stream button { padding: .4rem 1rem; font: inherit; cursor: pointer }
.stream pre { grid-column: 1 / -1; margin: 0; max-height: 30vh; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem }
@media (prefers-color-scheme: dark) { .stream { background: #1c2022; border-color: #e4e6e6 } }
`
