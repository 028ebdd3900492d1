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
import { STREAM_SCRIPT, STREAM_STYLE } from './stream-script.js'
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
