import type { Request, RequestHandler, Response } from '../../contracts/handler.js'
import type { OpenApiDocument } from '../../contracts/openapi.js'
import type { FrameworkRoute } from '../../contracts/plugin.js'
import { type Content, createContent, type DocsSource, once, sendContent } from './docs-page.js'
import { findSwaggerUi } from './find-swagger-ui.js'
import type { PageOptions } from './open-page.js'

/** The configuration of {@link buildDocs}. */
export interface DocsConfig {
  readonly documents: readonly DocsSource[]
  /**
   * In production, the document is compact, "Try it out" must be enabled with a click, and entered credentials are lost
   * when the page closes.
   */
  readonly isProduction: boolean
  /** Returns the `swagger-ui-dist` folder, or `null` to serve the built-in page. Default: `findSwaggerUi`. */
  readonly resolvePeer?: (floor?: string) => string | null
}

/** The oldest Swagger UI version that shows OpenAPI 3.2 documents. All supported versions show OpenAPI 3.1. */
const FLOOR_OF_3_2 = '5.32.0'

type Send = (req: Request, res: Response) => Promise<void>

/** Clients must revalidate their copies, and search engines must not index the page. */
const HEADERS = { 'Cache-Control': 'no-cache', 'X-Robots-Tag': 'noindex' }

/**
 * Builds the documentation routes. Each document has a page, and is also served as JSON and as YAML. The page is
 * Swagger UI if `swagger-ui-dist` is installed, otherwise a built-in page without scripts.
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
    return routesOf(source, { peer, isProduction })
  })
}

function routesOf(source: DocsSource, options: PageOptions): FrameworkRoute[] {
  const { path, document } = source
  const json = once(async () => {
    const text = JSON.stringify(document(), null, options.isProduction ? 0 : 2)
    return createContent('application/json; charset=utf-8', `${text}\n`)
  })
  const yaml = once(() => toYaml(document()))
  const documents = new Map([
    ['openapi.json', json],
    ['openapi.yaml', yaml],
  ])
  // Most processes never receive a request for the page, so its code is loaded on the first request.
  const opened = once(async () => (await import('./open-page.js')).openPage(source, options))
  const sendPage: Send = async (req, res) => {
    const { page, files, policy } = await opened()
    const name = fileName(req)
    const load = documents.get(name) ?? files.get(name)
    // The page has its own policy. If the application sets a report-only policy, it was not written for this page.
    res.removeHeader('Content-Security-Policy-Report-Only')
    const headers = { 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer' }
    await sendContent([req, res], (await load?.()) ?? page, { ...HEADERS, ...headers })
  }
  return [
    route(`${path}.json`, async (...message) => sendContent(message, await json(), HEADERS)),
    route(`${path}.yaml`, async (...message) => sendContent(message, await yaml(), HEADERS)),
    route(path, sendPage),
  ]
}

/**
 * Returns the file name in a request's query. The page and its files share one path, so that links need no path. A
 * request with any other query is for the page itself.
 */
function fileName({ originalUrl }: Request): string {
  const start = originalUrl.indexOf('?')
  const [name = ''] = new URLSearchParams(start < 0 ? '' : originalUrl.slice(start)).keys()
  return name
}

async function toYaml(document: OpenApiDocument): Promise<Content> {
  const { stringify } = await import('yaml')
  // YAML 1.1 reads `no` as a boolean and `1:30` as a number, so such strings are quoted.
  const options = { aliasDuplicateObjects: false, compat: 'yaml-1.1', lineWidth: 0 } as const
  // The document is converted to JSON first, so that both formats have the same content.
  const text = stringify(JSON.parse(JSON.stringify(document)), options)
  return createContent('application/yaml; charset=utf-8', text)
}

function route(path: string, send: Send): FrameworkRoute {
  const handle: RequestHandler = (req, res, next) => {
    send(req as Request, res as Response).catch(next)
  }
  return { path, handle }
}
