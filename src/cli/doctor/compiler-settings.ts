import type { Place } from './finding.js'
import type { CompilerOption, TsConfig } from './tsconfig.js'

/** The options of the compiler that matter here, with TypeScript's own defaults. */
export interface CompilerSettings {
  readonly isLegacy: boolean
  /** A year; below 2015 for older ones, infinite for `esnext`. `null` if the version of TypeScript decides, and is not known. */
  readonly target: number | null
  /** In lower case. `null` as above. */
  readonly resolution: string | null
  readonly module: string | null
  readonly isStrict: boolean | null
  readonly definesFields: boolean | null
  readonly emits: boolean
  readonly emitsMetadata: boolean
  /** Where an option is set, else the file. */
  placeOf(...names: readonly string[]): Place
}

/** The first version whose defaults are strict, modern ones. */
const MODERN = 6
/** What TypeScript 6 and later compile to by default. */
const MODERN_TARGET = 2025
const OLD_TARGET = 5
/** Since this target, fields of classes are those of the standard by default. */
const STANDARD_FIELDS = 2022

/**
 * Resolves the options of a `tsconfig.json`.
 *
 * @param major The first number of the version of TypeScript; `null` if it is not installed.
 */
export function settingsOf({ file, options }: TsConfig, major: number | null): CompilerSettings {
  const get = (name: string) => options.get(name.toLowerCase())
  const isOn = (name: string) => get(name)?.value === true
  const module = textOf(get('module')) ?? defaultModule(major)
  const target = targetOf(textOf(get('target')), { major, module })
  const defines = get('useDefineForClassFields')?.value
  return {
    isLegacy: isOn('experimentalDecorators'),
    target,
    module,
    resolution: textOf(get('moduleResolution')) ?? defaultResolution(module, major),
    isStrict: booleanOr(get('strict')?.value, major === null ? null : major >= MODERN),
    definesFields: booleanOr(defines, target === null ? null : target >= STANDARD_FIELDS),
    emits: !isOn('noEmit') && !isOn('emitDeclarationOnly'),
    emitsMetadata: isOn('emitDecoratorMetadata'),
    placeOf: (...names) =>
      names.map(get).find((option) => option !== undefined)?.place ?? { file, line: null },
  }
}

function textOf(option: CompilerOption | undefined): string | undefined {
  return typeof option?.value === 'string' ? option.value.toLowerCase() : undefined
}

function booleanOr(value: unknown, otherwise: boolean | null): boolean | null {
  return typeof value === 'boolean' ? value : otherwise
}

function defaultModule(major: number | null): string | null {
  if (major === null) return null
  return major >= MODERN ? 'esnext' : 'commonjs'
}

/** Before TypeScript 6, the default of `module: nodenext` is `esnext`. */
function targetOf(
  text: string | undefined,
  { major, module }: { readonly major: number | null; readonly module: string | null },
): number | null {
  if (text === 'esnext') return Number.POSITIVE_INFINITY
  if (text === 'es6') return 2015
  if (text !== undefined) return Number(/^es(\d+)$/.exec(text)?.[1] ?? OLD_TARGET)
  if (major === null) return null
  if (major >= MODERN) return MODERN_TARGET
  if (module === 'nodenext') return Number.POSITIVE_INFINITY
  return /^node\d/.test(module ?? '') ? STANDARD_FIELDS : OLD_TARGET
}

function defaultResolution(module: string | null, major: number | null): string | null {
  if (module === null) return null
  if (module === 'nodenext') return 'nodenext'
  if (/^node\d/.test(module)) return 'node16'
  if (module === 'preserve') return 'bundler'
  if (['none', 'amd', 'umd', 'system'].includes(module)) return 'classic'
  if (major === null) return null
  if (major >= MODERN) return 'bundler'
  return module === 'commonjs' ? 'node10' : 'classic'
}
