import type { FrameworkRoute } from '../../contracts/framework-route.js'
import type { Request, RequestHandler, Response } from '../../contracts/handler.js'
import type { OpenApiDocument } from '../../contracts/openapi.js'
import { type Content, createContent, once, sendContent } from './content.js'
import type { DocsPage, DocsSource } from './docs-page.js'
import { findSwaggerUi } from './find-swagger-ui.js'
import { interactivePage } from './interactive-page.js'
import { locate } from './locate.js'
import { PageTemplate } from './page-template.js'
import { referencePage } from './reference-page.js'

/** What {@link buildDocs} serves, and how. */
export interface DocsConfig {
  readonly documents: readonly DocsSource[]
  /** Whether the document is compact, "Try it out" waits for a click, and authorisation ends with the page. */
  readonly isProduction: boolean
  /** Finds the folder of `swagger-ui-dist`; `null` serves the built-in page. Default: {@link findSwaggerUi}. */
  readonly resolvePeer?: () => string | null
}

type Send = (req: Request, res: Response) => Promise<void>

/** Of everything but the files: always asked for again, and in no search engine's index. */
const REVALIDATED = { 'Cache-Control': 'no-cache', 'X-Robots-Tag': 'noindex' }
const IMMUTABLE = { 'Cache-Control': 'public, max-age=31536000, immutable' }

/**
 * The routes of the documentation: for each document a page, the document as JSON and as YAML, and
 * the files that the page loads. The page is swagger-ui's where `swagger-ui-dist` is installed, and else one that needs
 * no script.
 *
 * @example
 * buildDocs({
 *   documents: [{ path: '/api-docs', document: () => app.document }],
 *   isProduction: process.env.NODE_ENV === 'production',
 * })
 */
export function buildDocs(config: DocsConfig): FrameworkRoute[] {
  const peer = (config.resolvePeer ?? findSwaggerUi)()
  return config.documents.flatMap((given) => {
    const source = { ...given, document: once(given.document) }
    const page =
      peer === null
        ? referencePage(source)
        : interactivePage(source, { directory: peer, isProduction: config.isProduction })
    return [...documentRoutes(source, config.isProduction), ...pageRoutes(source, page)]
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
  // Readers of YAML 1.1 take `no` and `1:30` for something else: such strings are quoted for them.
  const options = { aliasDuplicateObjects: false, compat: 'yaml-1.1', lineWidth: 0 } as const
  // By way of JSON, so that both say the same.
  const text = stringify(JSON.parse(JSON.stringify(document)), options)
  return createContent('application/yaml; charset=utf-8', text)
}

function pageRoutes(source: DocsSource, page: DocsPage): FrameworkRoute[] {
  const folder = source.path === '/' ? '' : source.path
  const files = Object.entries(page.files).map(([name, load]) =>
    route(`${folder}/${name}`, (...message) => sendFile(message, load)),
  )
  return [route(source.path, pageSender(source, page)), ...files]
}

/** A URL that names another version must not pin this one for a year: two releases may run at a time. */
async function sendFile(
  message: readonly [Request, Response],
  load: () => Content | Promise<Content>,
): Promise<void> {
  const content = await load()
  const isPinned = message[0].query['v'] === content.hash
  await sendContent(message, content, isPinned ? IMMUTABLE : REVALIDATED)
}

function pageSender(source: DocsSource, page: DocsPage): Send {
  const template = once(async () => {
    const hashes = await hashFiles(page)
    return new PageTemplate(page, (name) => `${name}?v=${hashes.get(name)}`)
  })
  return async (req, res) => {
    const content = (await template()).at(locate(req, source.path))
    // A policy that only reports was written for other pages too.
    res.removeHeader('Content-Security-Policy-Report-Only')
    const headers = { 'Content-Security-Policy': page.policy(), 'Referrer-Policy': 'no-referrer' }
    await sendContent([req, res], content, { ...REVALIDATED, ...headers })
  }
}

async function hashFiles({ files }: DocsPage): Promise<Map<string, string>> {
  const loaded = Object.entries(files).map(
    async ([name, load]) => [name, (await load()).hash] as const,
  )
  return new Map(await Promise.all(loaded))
}

function route(path: string, send: Send): FrameworkRoute {
  const handle: RequestHandler = (req, res, next) => {
    send(req as Request, res as Response).catch(next)
  }
  return { path, handle }
}
