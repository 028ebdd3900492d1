import { basename } from 'node:path'
import type { Place } from './finding.js'
import { type JsonText, recordAt } from './json-text.js'

/** A command of a script in `package.json`. */
export interface ScriptCommand {
  /** The name of the script. */
  readonly script: string
  /** The name of the program: `tsc`. */
  readonly program: string
  readonly args: readonly string[]
  readonly place: Place
}

/** Words that run the program after them. */
const RUNNERS = [
  'npx',
  'exec',
  'cross-env',
  'env',
  'bunx',
  'pnpm',
  'yarn',
  'npm',
  'dlx',
  'run',
  '--',
]
const PROGRAM_SCRIPT = /node_modules\/(?:\.bin\/)?(?:@[\w.-]+\/)?([\w.-]+)/

/** Lists the commands of all scripts, in order. */
export function commandsOf(manifest: JsonText): ScriptCommand[] {
  return Object.entries(recordAt(manifest.value, 'scripts')).flatMap(([script, text]) => {
    const place = { file: manifest.file, line: manifest.lineOf('scripts', script) }
    return String(text)
      .split(/&&|\|\|?|;|&|\n/)
      .flatMap((part) => {
        const command = commandOf(part)
        return command === null ? [] : [{ script, ...command, place }]
      })
  })
}

function commandOf(text: string): Pick<ScriptCommand, 'program' | 'args'> | null {
  const words = [...text.matchAll(/'([^']*)'|"([^"]*)"|[^\s'"]+/g)].map(
    ([word, single, double]) => single ?? double ?? word,
  )
  const first = words.findIndex((word) => !RUNNERS.includes(word) && !/^\w+=/.test(word))
  const program = words[first]
  if (program === undefined) return null
  const args = words.slice(first + 1)
  // `node node_modules/typescript/bin/tsc` is tsc.
  const script = program === 'node' ? args.findIndex((word) => PROGRAM_SCRIPT.test(word)) : -1
  if (script !== -1 && !args.slice(0, script).some((word) => word.startsWith('-'))) {
    return { program: basename(args[script] as string), args: args.slice(script + 1) }
  }
  return { program: basename(program), args }
}

/** The value of an option: `-p x`, `--project x` or `--project=x`. */
export function optionOf(args: readonly string[], ...names: readonly string[]): string | undefined {
  for (const [index, arg] of args.entries()) {
    const [name, value] = arg.split(/[=:](.*)/s)
    if (name === undefined || !names.includes(name)) continue
    return value ?? args[index + 1]
  }
  return undefined
}
