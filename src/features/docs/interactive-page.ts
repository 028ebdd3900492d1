import type { OpenApiDocument } from '../../contracts/openapi.js'
import { createContent, once } from './content.js'
import type { DocsPage, DocsSource } from './docs-page.js'
import { ICON_FILE, type InteractiveFile, interactiveFiles } from './file-names.js'
import { html } from './html.js'
import { iconContent } from './icon.js'
import { INIT_SCRIPT, INTERACTIVE_STYLE, SESSION_SCRIPT } from './interactive-files.js'
import { fromFolder } from './locate.js'
import { peerFile } from './peer-file.js'
import { interactivePolicy, serializePolicy } from './policy.js'
import { STREAM_SCRIPT, STREAM_STYLE } from './stream-script.js'

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
  const init = () => createContent(JAVASCRIPT, initScript(source, isProduction))
  const contents: Record<InteractiveFile, DocsPage['files'][string]> = {
    'swagger-ui.css': peerFile(directory, 'swagger-ui.css', CSS),
    'docs.css': once(() => createContent(CSS, INTERACTIVE_STYLE + STREAM_STYLE)),
    [ICON_FILE]: once(iconContent),
    'swagger-ui-bundle.js': peerFile(directory, 'swagger-ui-bundle.js', JAVASCRIPT),
    'session-authorization.js': once(() => createContent(JAVASCRIPT, SESSION_SCRIPT)),
    'streams.js': once(() => createContent(JAVASCRIPT, STREAM_SCRIPT)),
    'init.js': once(init),
  }
  const names = interactiveFiles(isProduction)
  return {
    files: Object.fromEntries(names.map((name) => [name, contents[name]])),
    policy: once(() => serializePolicy(interactivePolicy(source.document()))),
    servers: () => [],
    render: ({ folder }, link) => {
      const document = fromFolder(source.path)
      const styles = names.filter((name) => name.endsWith('.css'))
      const scripts = names.filter((name) => name.endsWith('.js'))
      return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${source.document().info.title}</title>
<link rel="icon" type="image/svg+xml" href="${link(ICON_FILE)}">
${styles.map((name) => html`<link rel="stylesheet" href="${link(name)}">\n`)}
${scripts.map((name) => html`<script src="${link(name)}" defer></script>\n`)}
</head>
<body>
<div id="swagger-ui"></div>
<noscript>This page needs JavaScript. The document itself does not: <a href="${folder + document}.json">JSON</a>, <a href="${folder + document}.yaml">YAML</a>.</noscript>
</body>
</html>
`.text
    },
  }
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
  const config = { document: `${fromFolder(path)}.json`, options }
  return `const config = ${JSON.stringify(config, null, 2)}\n\n${INIT_SCRIPT}`
}

function countOperations({ paths }: OpenApiDocument): number {
  return Object.values(paths).reduce((count, item) => count + Object.keys(item).length, 0)
}
