import { loadTransform, type SourceMap, type Transform } from './load-transform.js'

/** A plugin of Vite's, as far as this one is; written down here so that nothing of ours needs Vite's types. */
export interface VitePlugin {
  /** The name of the plugin in the messages of Vite. */
  readonly name: string
  /** The plugin runs before Vite's own plugins. */
  readonly enforce: 'pre'
  /** Vite calls it with the configuration, once. */
  readonly configResolved: (config: { readonly root: string }) => void
  /** Vite calls it for every module. */
  readonly transform: {
    /** Tells Vite which modules need the handler. */
    readonly filter: {
      /** Patterns for the path of a module. */
      readonly id: {
        /** Scripts. */
        readonly include: RegExp
        /** Files of installed packages. */
        readonly exclude: RegExp
      }
      /** A text that the module must have. */
      readonly code: string
    }
    /** Compiles a module; `null` leaves the module to Vite. */
    readonly handler: (code: string, id: string) => Promise<Lowered | null>
  }
}

/** A module without decorators, or `null` where Vite's own compiler is enough. */
export interface Lowered {
  readonly code: string
  readonly map: SourceMap
}

const SCRIPT = /\.[cm]?[jt]sx?(?:\?|$)/
const PACKAGE = /[\\/]node_modules[\\/]/
/** `@name` or `@(`, but for the lines of a documentation comment. What only looks like a decorator is esbuild's to see. */
const MAYBE_DECORATOR = /^(?![^\S\n]*\*(?!\/|.*(?:\*\/|`))).*@\s*[\p{ID_Start}$_(]/mu
/** What esbuild writes into a module whose standard decorators it lowered, and into no other. */
const LOWERED = '__decoratorStart'

/**
 * Lowers standard decorators for Vite and Vitest. Vite 8 leaves them in its output without a word, and Node then fails with
 * `SyntaxError: Invalid or unexpected token`. Files without them, packages, and projects with `experimentalDecorators` in
 * their `tsconfig.json` are left to Vite. Vite 8 needs `esbuild` beside it; earlier ones bring it.
 *
 * @throws ConfigError with the first file that has decorators, when `vite` or `esbuild` is not installed.
 * @example
 * // vitest.config.ts
 * import { blazon } from 'blazon/vite'
 * import { defineConfig } from 'vitest/config'
 *
 * export default defineConfig({ plugins: [blazon()] })
 */
export function blazon(): VitePlugin {
  let root = process.cwd()
  let transform: Promise<Transform> | undefined
  return {
    name: 'blazon',
    // Vite's own compiler drops decorated fields without an initializer where the tsconfig's target is below ES2022 (8.3).
    enforce: 'pre',
    configResolved(config) {
      root = config.root
    },
    transform: {
      // Vite 8 asks these before it calls; earlier ones call for every module.
      filter: { id: { include: SCRIPT, exclude: PACKAGE }, code: '@' },
      async handler(code, id) {
        if (!mayHaveDecorators(code, id)) return null
        transform ??= loadTransform(root)
        const lowered = await (await transform)(code, id)
        return lowered.code.includes(LOWERED) ? lowered : null
      },
    },
  }
}

function mayHaveDecorators(code: string, id: string): boolean {
  const isOurs = SCRIPT.test(id) && !PACKAGE.test(id) && !id.startsWith('\0')
  return isOurs && code.includes('class') && MAYBE_DECORATOR.test(code)
}
