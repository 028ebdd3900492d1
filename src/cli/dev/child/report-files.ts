import module from 'node:module'
import { dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import type { Channel } from './channel.js'
import { type Resolved, resolvedOf } from './import-hooks.js'

type SyncResolve = (
  specifier: string,
  context: { readonly parentURL?: string | undefined },
  next: (specifier: string, context: object) => { url: string },
) => { url: string }

/** Node 22.15 and later. The types are those of Node 20. */
const { registerHooks } = module as unknown as {
  registerHooks?: (hooks: { resolve: SyncResolve }) => void
}

/**
 * Reports to the command which files this process loads, without those of packages.
 *
 * @param known Receives their paths.
 * @returns a function that reports at once what was found and is still on its way.
 */
export function reportFiles(channel: Channel, known: Set<string>): () => void {
  const report = ({ url, isMissing }: Resolved) => {
    if (!url.startsWith('file:') || url.includes('/node_modules/')) return
    const path = fileURLToPath(url.replace(/[?#].*$/, ''))
    if (known.has(path) && !isMissing) return
    known.add(path)
    channel.send({ kind: 'files', paths: [path] })
  }
  if (registerHooks === undefined) return hookInThread(report)
  hookHere(registerHooks, report)
  return () => {}
}

function hookHere(register: NonNullable<typeof registerHooks>, report: (found: Resolved) => void) {
  register({
    resolve(specifier, context, next) {
      try {
        const result = next(specifier, context)
        report({ url: result.url, isMissing: false })
        return result
      } catch (error) {
        report(resolvedOf(specifier, context.parentURL))
        throw error
      }
    },
  })
}

/**
 * In Node 20, the hooks of `import` run in a thread of their own, and do not see `require`. An import may fail before the message about
 * its file has arrived.
 */
function hookInThread(report: (found: Resolved) => void): () => void {
  const { port1, port2 } = new MessageChannel()
  module.register(new URL('./import-hooks.js', import.meta.url), {
    data: { port: port2 },
    transferList: [port2],
  })
  port1.on('message', report)
  port1.unref()
  watchRequire(report)
  return () => {
    for (;;) {
      const received = receiveMessageOnPort(port1)
      if (received === undefined) return
      report(received.message)
    }
  }
}

interface CommonJs {
  _resolveFilename(request: string, parent?: { filename?: string | null }): string
}

function watchRequire(report: (found: Resolved) => void): void {
  // This function is not documented, but every tool that reads `require` replaces it, so Node keeps it.
  const loader = module as unknown as CommonJs
  const real = loader._resolveFilename
  loader._resolveFilename = function resolveFilename(request, parent, ...rest: []) {
    try {
      const path = real.call(this, request, parent, ...rest)
      if (path.includes('/') || path.includes('\\'))
        report({ url: pathToFileURL(path).href, isMissing: false })
      return path
    } catch (error) {
      const from = parent?.filename ?? undefined
      if (from !== undefined && /^\.{1,2}\//.test(request))
        report({ url: pathToFileURL(resolve(dirname(from), request)).href, isMissing: true })
      throw error
    }
  }
}
