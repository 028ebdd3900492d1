import type { Request } from '../contracts/handler.js'
import type { AnswerCall, CallAnswer, CallToAnswer } from '../contracts/outgoing-call.js'
import { UnansweredCallError } from './refused-connections.js'

/** A call that the application would have sent to another host. */
export interface TestCall {
  /** `GET`, `POST`. */
  readonly method: string
  /** The whole URL. */
  readonly url: string
  /** The body, if it is text or bytes; otherwise `null`. */
  readonly body: string | null
}

/** The response of another host to one call. */
export interface AnsweredCall extends CallAnswer {
  /** `GET`, `POST`. */
  readonly method: string
  /** The whole URL. `[secret]` matches any string. */
  readonly url: string
}

/** Dependencies of {@link TestOutgoing}. */
interface TestOutgoingConfig {
  /** Responses that are each used once, in place of the responses of `answer`; `undefined` to use `answer`. */
  readonly calls: readonly AnsweredCall[] | undefined
  /** Returns the request for which the current code runs. */
  readonly currentRequest: () => Request | undefined
}

/**
 * The calls of an application under test to other hosts (`inject(Outgoing)`). They are not sent; the test supplies the
 * responses.
 *
 * @example
 * app.outgoing.answer('POST', 'https://bank.example/charges', { status: 201, json: { id: 7 } })
 * await app.request().post('/orders').send({ cents: 100 }).expect(201)
 * expect(app.outgoing.calls).toHaveLength(1)
 */
export class TestOutgoing {
  readonly #answers = new Map<string, AnswerCall>()
  readonly #calls: TestCall[] = []
  readonly #list: CallList | null
  readonly #currentRequest: () => Request | undefined
  /** The errors that no test has received. */
  #unanswered: { readonly error: Error; readonly req: Request | undefined }[] = []

  /** Only `TestApp` calls this constructor. */
  constructor({ calls, currentRequest }: TestOutgoingConfig) {
    this.#list = calls === undefined ? null : new CallList(calls)
    this.#currentRequest = currentRequest
  }

  /**
   * Sets the response to calls with this method and URL, replacing an earlier response. Redirects are followed, and
   * each redirect also needs a response.
   *
   * @param method `GET`, `POST`.
   * @param url The whole URL. A URL without a query also matches calls with any query.
   * @param answer The response, or a function that returns the response for each call.
   */
  answer(method: string, url: string, answer: CallAnswer | AnswerCall): void {
    const run = typeof answer === 'function' ? answer : () => answer
    this.#answers.set(keyOf(method.toUpperCase(), new URL(url).href), run)
  }

  /** All calls so far, in order. */
  get calls(): readonly TestCall[] {
    return this.#calls
  }

  /** Returns the response to a call of the application. */
  readonly answerCall: AnswerCall = (call) => {
    const { method, url, body } = call
    this.#calls.push({ method, url, body })
    if (this.#list !== null) return this.#list.take(call)
    const [whole = url] = url.split('?', 1)
    const found = this.#answers.get(keyOf(method, url)) ?? this.#answers.get(keyOf(method, whole))
    if (found !== undefined) return found(call)
    const error = unanswered(call)
    this.#unanswered.push({ error, req: this.#currentRequest() })
    throw error
  }

  /** Removes the errors of a request, and returns the first error. */
  take(req: Request): Error | undefined {
    const first = this.#unanswered.find((each) => each.req === req)
    this.#unanswered = this.#unanswered.filter((each) => each.req !== req)
    return first?.error
  }

  /** Removes and returns the errors that no test has received, without duplicates. */
  rest(): Error[] {
    const all = this.#unanswered.splice(0).map(({ error }) => [error.message, error] as const)
    return [...new Map(all).values()]
  }
}

function keyOf(method: string, url: string): string {
  return `${method} ${url}`
}

function unanswered({ method, url }: CallToAnswer): UnansweredCallError {
  const quoted = url.replace(/[\\']/g, '\\$&')
  const code = `app.outgoing.answer('${method}', '${quoted}', { status: 200, json: {} })`
  const message = `The test has no answer for ${method} ${url}, so nothing was sent. Add an answer before the request:\n  ${code}`
  return new UnansweredCallError(url, message)
}

/** The error of the first call without a response, for each list. */
const missing = new WeakMap<readonly AnsweredCall[], UnansweredCallError>()

/** Returns the error of the first unanswered call, even if the application has handled it. */
export function unansweredCallOf(calls: readonly AnsweredCall[] = []): UnansweredCallError | null {
  return missing.get(calls) ?? null
}

/** Returns responses from a list, using each entry once. */
class CallList {
  readonly #calls: readonly AnsweredCall[]
  readonly #left: AnsweredCall[]

  /** @param calls The responses, in the order of the calls. */
  constructor(calls: readonly AnsweredCall[]) {
    this.#calls = calls
    this.#left = [...calls]
  }

  /** @throws UnansweredCallError if the list has no response left. */
  take({ method, url }: CallToAnswer): CallAnswer {
    const index = this.#left.findIndex((each) => each.method === method && isLike(each.url, url))
    const [found] = index < 0 ? [] : this.#left.splice(index, 1)
    if (found !== undefined) return found
    const error = new UnansweredCallError(url)
    if (!missing.has(this.#calls)) missing.set(this.#calls, error)
    throw error
  }
}

/** The placeholder of a secret, which can be percent-encoded in a URL. */
const SECRET = /\[secret\]|%5Bsecret%5D/i

function isLike(pattern: string, url: string): boolean {
  const whole = URL.canParse(pattern) ? new URL(pattern).href : pattern
  const parts = whole.split(SECRET).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(url)
}
