// password-hashes.ts
import * as crypto from 'node:crypto'
import { ServiceUnavailableError } from 'blazon'

/** The work of argon2id: KiB of memory, passes and lanes, by their names in a stored hash. */
export interface Argon2Cost {
  readonly m: number
  readonly t: number
  readonly p: number
}

/** The choice of RFC 9106, section 4, for 64 MiB. */
export const RFC_9106: Argon2Cost = { m: 65_536, t: 3, p: 4 }

/** Whether a password is right. `old`: it is right, and its hash should be replaced. */
export type PasswordCheck = 'wrong' | 'right' | 'old'

/** Hashes passwords. Only a few hashes are computed at once: each needs memory, and a thread for tens of milliseconds. */
export class PasswordHashes {
  readonly #cost: Argon2Cost
  readonly #turns: Turns

  constructor({ cost = RFC_9106, atOnce = 2, waiting = 20 } = {}) {
    this.#cost = cost
    this.#turns = new Turns(atOnce, waiting)
  }

  /** Returns what is stored for a password: a PHC string, which names the method and its cost. */
  async hash(password: string): Promise<string> {
    const salt = crypto.randomBytes(16)
    const key = await this.#derive(password, { method: 'argon2id', cost: this.#cost, salt })
    const { m, t, p } = this.#cost
    return `$argon2id$v=19$m=${m},t=${t},p=${p}$${encode(salt)}$${encode(key)}`
  }

  /**
   * Compares a password with what is stored for an account.
   *
   * @param stored `undefined` for an unknown account. The same work is done then, so the time of the response is the same.
   */
  async check(password: string, stored: string | undefined): Promise<PasswordCheck> {
    const own = { method: 'argon2id', cost: this.#cost } as const
    if (stored === undefined) {
      await this.#derive(password, { ...own, salt: crypto.randomBytes(16) })
      return 'wrong'
    }
    const { key, ...recipe } = parse(stored)
    const derived = await this.#derive(password, recipe)
    if (derived.length !== key.length || !crypto.timingSafeEqual(derived, key)) return 'wrong'
    const isCurrent = recipe.method === own.method && isSame(recipe.cost, own.cost)
    return isCurrent ? 'right' : 'old'
  }

  #derive(password: string, recipe: Recipe): Promise<Buffer> {
    return this.#turns.take(() => this.derive(Buffer.from(password.normalize('NFKC')), recipe))
  }

  protected async derive(password: Buffer, recipe: Recipe): Promise<Buffer> {
    return recipe.method === 'scrypt'
      ? await scrypt(password, recipe)
      : await argon2id(password, recipe)
  }
}

/** How a key is made of a password. */
export type Recipe = { readonly salt: Buffer } & (
  | { readonly method: 'argon2id'; readonly cost: Argon2Cost }
  | { readonly method: 'scrypt'; readonly cost: ScryptCost }
)

/** The work of scrypt: the logarithm of N, r and p. */
interface ScryptCost {
  readonly ln: number
  readonly r: number
  readonly p: number
}

const KEY_BYTES = 32

/** `argon2` of node:crypto, since Node 24.7. */
type NativeArgon2 = (
  method: 'argon2id',
  parameters: {
    readonly message: Buffer
    readonly nonce: Buffer
    readonly memory: number
    readonly passes: number
    readonly parallelism: number
    readonly tagLength: number
  },
  done: (error: Error | null, key: Buffer) => void,
) => void

async function argon2id(
  message: Buffer,
  { salt, cost: { m, t, p } }: { salt: Buffer; cost: Argon2Cost },
): Promise<Buffer> {
  const { argon2 } = crypto as unknown as { argon2?: NativeArgon2 }
  if (argon2 === undefined) {
    const { hashRaw } = await import('@node-rs/argon2')
    const cost = { memoryCost: m, timeCost: t, parallelism: p, outputLen: KEY_BYTES }
    return await hashRaw(message, { ...cost, salt })
  }
  return await new Promise((resolve, reject) => {
    const cost = { memory: m, passes: t, parallelism: p, tagLength: KEY_BYTES }
    argon2('argon2id', { message, nonce: salt, ...cost }, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}

/** For passwords that another program has stored. New ones are never hashed with it. */
async function scrypt(
  password: Buffer,
  { salt, cost: { ln, r, p } }: { salt: Buffer; cost: ScryptCost },
): Promise<Buffer> {
  const cost = { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r }
  return await new Promise((resolve, reject) => {
    crypto.scrypt(password, salt, KEY_BYTES, cost, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}

const PHC =
  /^\$(?:argon2id\$v=19\$m=(?<m>\d+),t=(?<t>\d+),p=(?<p>\d+)|scrypt\$ln=(?<ln>\d+),r=(?<r>\d+),p=(?<q>\d+))\$(?<salt>[\w+/.-]+)\$(?<key>[\w+/.-]+)$/

function parse(stored: string): Recipe & { readonly key: Buffer } {
  const found = PHC.exec(stored)?.groups
  if (found === undefined) throw new Error('A stored password is not a hash of argon2id or scrypt.')
  const { m, t, p, ln, r, q, salt = '', key = '' } = found
  const bytes = { salt: Buffer.from(salt, 'base64'), key: Buffer.from(key, 'base64') }
  return ln === undefined
    ? { method: 'argon2id', cost: { m: Number(m), t: Number(t), p: Number(p) }, ...bytes }
    : { method: 'scrypt', cost: { ln: Number(ln), r: Number(r), p: Number(q) }, ...bytes }
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}

function isSame(one: Argon2Cost | ScryptCost, other: Argon2Cost): boolean {
  return 'm' in one && one.m === other.m && one.t === other.t && one.p === other.p
}

/** Runs a few jobs at once. Some more wait, and the others are refused. */
class Turns {
  #free: number
  readonly #maxWaiting: number
  readonly #waiting: (() => void)[] = []

  constructor(atOnce: number, maxWaiting: number) {
    this.#free = atOnce
    this.#maxWaiting = maxWaiting
  }

  async take<T>(job: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await this.#wait()
    try {
      return await job()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }

  #wait(): Promise<void> {
    if (this.#waiting.length < this.#maxWaiting)
      return new Promise((resolve) => this.#waiting.push(resolve))
    const headers = { 'Retry-After': '1' }
    throw new ServiceUnavailableError('Too many passwords are being checked', {
      code: 'TOO_MANY_LOGINS',
      headers,
    })
  }
}
