import type { MessagePort } from 'node:worker_threads'

/** A file that an import names. */
export interface Resolved {
  /** Empty if the import names no file. */
  readonly url: string
  readonly isMissing: boolean
}

type Resolve = (
  specifier: string,
  context: { readonly parentURL?: string | undefined },
  next: (specifier: string, context: object) => Promise<{ url: string }>,
) => Promise<{ url: string }>

let port: MessagePort | undefined

/** Called by Node in the thread of the hooks. */
export function initialize(data: { readonly port: MessagePort }): void {
  port = data.port
}

/** Called by Node for every import. */
export const resolve: Resolve = async (specifier, context, next) => {
  try {
    const result = await next(specifier, context)
    port?.postMessage({ url: result.url, isMissing: false } satisfies Resolved)
    return result
  } catch (error) {
    port?.postMessage(resolvedOf(specifier, context.parentURL))
    throw error
  }
}

/** The file that an import names which cannot be resolved. */
export function resolvedOf(specifier: string, parentUrl: string | undefined): Resolved {
  const isFile = /^(?:\.{1,2}\/|file:)/.test(specifier) && parentUrl !== undefined
  return { url: isFile ? new URL(specifier, parentUrl).href : '', isMissing: true }
}
