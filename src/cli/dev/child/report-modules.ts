import module from 'node:module'
import type { Channel } from './channel.js'

interface Hooks {
  resolve(
    specifier: string,
    context: { readonly parentURL?: string | undefined },
    next: (specifier: string, context: object) => { readonly url: string },
  ): { readonly url: string }
}

/** Node 22.15 and later. The types are for Node 20. */
const { registerHooks } = module as unknown as { registerHooks?: (hooks: Hooks) => void }

/** Reports to the command which files the application loads, and which of its own it lacks. */
export function reportModules(channel: Channel): void {
  const report = (url: string) => channel.send({ kind: 'files', urls: [url] })
  registerHooks?.({
    resolve(specifier, context, next) {
      try {
        const result = next(specifier, context)
        report(result.url)
        return result
      } catch (error) {
        if (/^\.{0,2}\//.test(specifier)) report(new URL(specifier, context.parentURL).href)
        throw error
      }
    },
  })
  // Node itself reports modules to the command where it has no such hooks, but not all that it does not find.
  process.on('uncaughtExceptionMonitor', (error: { readonly url?: unknown } | null) => {
    if (typeof error?.url === 'string') report(error.url)
  })
}
