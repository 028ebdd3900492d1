import type { CallAnswer, CallToAnswer } from '../../contracts/outgoing-call.js'
import { UnansweredCallError } from '../refused-connections.js'

/** The answer of another host to one call. */
export interface AnsweredCall extends CallAnswer {
  /** `GET`, `POST`. */
  readonly method: string
  /** The whole URL. `[secret]` stands for any text. */
  readonly url: string
}

/** The first call of each list that had no answer. */
const unanswered = new WeakMap<readonly AnsweredCall[], UnansweredCallError>()

/** Returns the error of the first call that a list had no answer for, also if the application has handled it. */
export function unansweredCallOf(calls: readonly AnsweredCall[] = []): UnansweredCallError | null {
  return unanswered.get(calls) ?? null
}

/** Answers calls from a list, each entry once. */
export class CallList {
  readonly #calls: readonly AnsweredCall[]
  readonly #left: AnsweredCall[]

  /** @param calls The answers, in the order of the calls. */
  constructor(calls: readonly AnsweredCall[]) {
    this.#calls = calls
    this.#left = [...calls]
  }

  /** @throws UnansweredCallError if the list has no answer left. */
  take({ method, url }: CallToAnswer): CallAnswer {
    const index = this.#left.findIndex((each) => each.method === method && isLike(each.url, url))
    const [found] = index < 0 ? [] : this.#left.splice(index, 1)
    if (found !== undefined) return found
    const error = new UnansweredCallError(url)
    if (!unanswered.has(this.#calls)) unanswered.set(this.#calls, error)
    throw error
  }
}

/** A secret may have been written in another way in a URL. */
const SECRET = /\[secret\]|%5Bsecret%5D/i

function isLike(pattern: string, url: string): boolean {
  const whole = URL.canParse(pattern) ? new URL(pattern).href : pattern
  const parts = whole.split(SECRET).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(url)
}
