import type { FrameworkRoute } from '../../contracts/framework-route.js'
import type { Request, RequestHandler, Response } from '../../contracts/handler.js'
import type { OpenApiDocument } from '../../contracts/openapi.js'
import { type Content, createContent, once, sendContent } from './content.js'
import type { DocsSource } from './docs-page.js'
import { interactiveFiles, REFERENCE_FILES } from './file-names.js'
import { findSwaggerUi } from './find-swagger-ui.js'
import { locate } from './locate.js'
import type { OpenedPage, PageOptions } from './open-page.js'

/** The configuration of {@link buildDocs}. */
export interface DocsConfig {
  readonly documents: readonly DocsSource[]
  /**
   * In production the document is compact, "Try it out" needs a click, and entered credentials are lost when
   * the page closes.
   */
  readonly isProduction: boolean
  /**
   * Returns the folder of `swagger-ui-dist`, or `null` to serve the built-in page. Default: `findSwaggerUi`.
   */
  readonly resolvePeer?: (floor?: string) => string | null
}

/** The oldest swagger-ui that shows documents of OpenAPI 3.2. All that work at all show 3.1. */
const FLOOR_OF_3_2 = '5.32.0'

type Send = (req: Request, res: Response) => Promise<void>

/**
 * Headers for everything except versioned files: clients must revalidate, and search engines must not index.
 */
const REVALIDATED = { 'Cache-Control': 'no-cache', 'X-Robots-Tag': 'noindex' }
const IMMUTABLE = { 'Cache-Control': 'public, max-age=31536000, immutable' }

/**
 * Builds the routes of the documentation: for each document a page, the document as JSON and as YAML, and the
 * files that the page loads. The page is swagger-ui if `swagger-ui-dist` is installed, else a built-in page
 * without scripts.
 *
 * @example
 * buildDocs({
 *   documents: [{ path: '/api-docs', document: () => app.document }],
 *   isProduction: process.env.NODE_ENV === 'production',
 * })
 */
export function buildDocs(config: DocsConfig): FrameworkRoute[] {
  const { documents, isProduction, resolvePeer = findSwaggerUi } = config
  const isNewest = documents.some(({ openapi }) => openapi === '3.2')
  const peer = resolvePeer(isNewest ? FLOOR_OF_3_2 : undefined)
  return documents.flatMap((given) => {
    const source = { ...given, document: once(given.document) }
    const pages = pageRoutes(source, { peer, isProduction })
    return [...documentRoutes(source, isProduction), ...pages]
  })
}

function documentRoutes({ path, document }: DocsSource, isProduction: boolean): FrameworkRoute[] {
  const json = once(() => {
    const text = JSON.stringify(document(), null, isProduction ? 0 : 2)
    return createContent('application/json; charset=utf-8', `${text}\n`)
  })
  const yaml = once(() => toYaml(document()))
  return [
    route(`${path}.json`, async (...message) => sendContent(message, json(), REVALIDATED)),
    route(`${path}.yaml`, async (...message) => sendContent(message, await yaml(), REVALIDATED)),
  ]
}

async function toYaml(document: OpenApiDocument): Promise<Content> {
  const { stringify } = await import('yaml')
  // YAML 1.1 reads `no` as a boolean and `1:30` as a number, so such strings are quoted.
  const options = { aliasDuplicateObjects: false, compat: 'yaml-1.1', lineWidth: 0 } as const
  // Converted through JSON, so that both formats have the same content.
  const text = stringify(JSON.parse(JSON.stringify(document)), options)
  return createContent('application/yaml; charset=utf-8', text)
}

/** The code of a page is loaded with the first request for the page or a file of it: few processes get one. */
function pageRoutes(source: DocsSource, options: PageOptions): FrameworkRoute[] {
  const page = once(async () => (await import('./open-page.js')).openPage(source, options))
  const folder = source.path === '/' ? '' : source.path
  const names = options.peer === null ? REFERENCE_FILES : interactiveFiles(options.isProduction)
  const files = names.map((name) =>
    route(`${folder}/${name}`, async (...message) => sendFile(message, name, await page())),
  )
  return [route(source.path, pageSender(source, page)), ...files]
}

/**
 * During a deployment two releases may run. A URL with the hash of the other release must not cache this file
 * for a year.
 */
async function sendFile(
  message: readonly [Request, Response],
  name: string,
  { files }: OpenedPage,
): Promise<void> {
  const content = await files[name]?.()
  if (content === undefined) throw new Error(`The page has no file ${name}.`)
  const isPinned = message[0].query['v'] === content.hash
  await sendContent(message, content, isPinned ? IMMUTABLE : REVALIDATED)
}

function pageSender(source: DocsSource, opened: () => Promise<OpenedPage>): Send {
  return async (req, res) => {
    const page = await opened()
    const content = (await page.template()).at(locate(req, source.path))
    // A report-only policy of the application was not written for this page, which has its own policy.
    res.removeHeader('Content-Security-Policy-Report-Only')
    const headers = { 'Content-Security-Policy': page.policy(), 'Referrer-Policy': 'no-referrer' }
    await sendContent([req, res], content, { ...REVALIDATED, ...headers })
  }
}

function route(path: string, send: Send): FrameworkRoute {
  const handle: RequestHandler = (req, res, next) => {
    send(req as Request, res as Response).catch(next)
  }
  return { path, handle }
}
