import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../root.js'

/** The part of a client that the request tests use. The document decides which methods it has. */
export interface AnyClient {
  readonly [group: string]: {
    // biome-ignore lint/suspicious/noExplicitAny: the types are compiled elsewhere; here it is run
    readonly [method: string]: (input?: object) => Promise<any>
  }
}

/** Options of `createClient`. */
export interface AnyClientOptions {
  readonly baseUrl: string
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  readonly headers?: Record<string, string>
  readonly token?: string | (() => Promise<string | undefined>)
}

/** Writes a client to a folder from which the tests can import it, and imports it. */
export async function importClient(
  name: string,
  text: string,
): Promise<{ createClient(options: AnyClientOptions): AnyClient }> {
  const folder = join(root, '.cache', 'clients')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${name}.ts`)
  writeFileSync(path, text)
  return await import(/* @vite-ignore */ pathToFileURL(path).href)
}
