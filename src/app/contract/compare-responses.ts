import type { IncomingHttpHeaders } from 'node:http'
import type { ContractViolation } from '../../contracts/contract-violation.js'
import type { Request, Response } from '../../contracts/handler.js'
import type { EndedRequest } from '../../contracts/observers.js'
import { checkResponse, documentedStatus } from './check-response.js'
import {
  type DescribedRoutes,
  documentedByRoute,
  type FindOperation,
  operationFinder,
} from './documented-by-route.js'
import { bodyText, isJson, ResponseCompilers } from './exchange.js'

/** Longer bodies are not compared, so that development stays fast. */
const MOST_BYTES = 1_000_000

/** Compares the responses of an application with its documents, for the dashboard of `blazon dev`. */
export class ResponseComparison {
  readonly #described: () => DescribedRoutes
  readonly #bodies = new WeakMap<Response, SentBody>()
  readonly #compilers = new ResponseCompilers()
  #find: FindOperation | undefined

  /** @param described Called only when the first response is compared, because a document takes time to build. */
  constructor(described: () => DescribedRoutes) {
    this.#described = described
  }

  /** Observes the response to a request. Later calls have no effect. */
  follow({ res }: Request): void {
    if (res !== undefined && !this.#bodies.has(res))
      this.#bodies.set(res, new SentBody(res, MOST_BYTES))
  }

  /** Returns the differences between the response and the document. Never throws. */
  mismatchesOf(ended: EndedRequest): readonly ContractViolation[] {
    try {
      return this.#compare(ended)
    } catch {
      // Boot and the document's page report a document that cannot be built.
      return []
    }
  }

  #compare({ req, res, route, status, outcome }: EndedRequest): readonly ContractViolation[] {
    const sent = res === null ? undefined : this.#bodies.get(res)
    if (req === null || res === null || route === null || status === null) return []
    if (sent === undefined || outcome !== 'sent' || sent.isTooLong) return []
    this.#find ??= operationFinder(documentedByRoute(this.#described()))
    const documented = this.#find(route.index, req.method)
    if (documented === undefined) return []
    const headers = sentHeaders(res)
    const hasJson = req.method !== 'HEAD' && isJson(headers['content-type'])
    const body = hasJson ? bodyText(sent.bytes, headers['content-encoding']) : null
    const key = documentedStatus(documented, status)
    const compile = this.#compilers.of(documented.document)
    const exchange = { method: req.method, url: req.originalUrl, status, headers, body }
    return checkResponse(exchange, { documented, key, compile })
  }
}

/** The body bytes that a response writes to its connection. */
class SentBody {
  isTooLong = false
  readonly #most: number
  readonly #chunks: Buffer[] = []
  #length = 0

  /** @param most The maximum number of stored bytes. Longer bodies are not stored at all. */
  constructor(res: Response, most: number) {
    this.#most = most
    const { write, end } = res
    const note = (chunk: unknown, encoding: unknown) => this.#note(chunk, encoding)
    // Code that replaces these methods later, such as compression, calls them with the bytes that are sent.
    res.write = function writeNoted(this: Response, ...args: Parameters<Response['write']>) {
      note(args[0], args[1])
      return write.apply(this, args)
    } as Response['write']
    res.end = function endNoted(this: Response, ...args: unknown[]) {
      note(args[0], args[1])
      return end.apply(this, args as Parameters<Response['end']>)
    } as Response['end']
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  #note(chunk: unknown, encoding: unknown): void {
    const isText = typeof chunk === 'string'
    if (this.isTooLong || !(isText || chunk instanceof Uint8Array)) return
    const bytes = isText ? Buffer.from(chunk, encodingOf(encoding)) : Buffer.from(chunk)
    this.#length += bytes.length
    this.isTooLong = this.#length > this.#most
    if (this.isTooLong) this.#chunks.length = 0
    else this.#chunks.push(bytes)
  }
}

function encodingOf(given: unknown): BufferEncoding {
  return typeof given === 'string' && Buffer.isEncoding(given) ? given : 'utf8'
}

/**
 * The headers in the response head that was sent. `getHeaders` is not used, because it returns only headers that were
 * set individually.
 */
function sentHeaders(res: Response): IncomingHttpHeaders {
  // Node stores the head as text in an untyped property, which packages for logs also read.
  const { _header: head = '' } = res as unknown as { readonly _header?: string | null }
  const lines = (head ?? '').split('\r\n').slice(1)
  const pairs = lines.map((line) => /^([^:]+): ?(.*)$/.exec(line)).filter((match) => match !== null)
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name.toLowerCase(), value]))
}
