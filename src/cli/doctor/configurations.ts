import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isOutside } from '../output-path.js'
import { type CompilerSettings, settingsOf } from './compiler-settings.js'
import { type Finding, finding, sentence } from './finding.js'
import { findInstalled, majorOf } from './installed.js'
import type { Project } from './project.js'
import { optionOf, type ScriptCommand } from './scripts.js'
import { readTsConfig, TsConfigError } from './tsconfig.js'

/** A `tsconfig.json` and what uses it. */
export interface Configuration {
  readonly file: string
  readonly settings: CompilerSettings
  /** What reads it, for texts: `tsx`, `the script build`. */
  readonly user: string
  /** Whether the compiler of TypeScript writes files with it. */
  readonly isCompiled: boolean
}

/** The configurations of a project: first the one of its entry. */
export interface Configurations {
  readonly all: readonly Configuration[]
  /** Those that cannot be read. */
  readonly findings: readonly Finding[]
}

/** Reads the `tsconfig.json` of the entry, and those that scripts name. */
export function readConfigurations(project: Project): Configurations {
  const major = majorOf(findInstalled('typescript', project.root))
  const findings: Finding[] = []
  const all = usesOf(project).flatMap(({ file, ...use }) => {
    try {
      const settings = settingsOf(readTsConfig(file), major)
      return [{ ...use, file, settings, isCompiled: use.isCompiled && settings.emits }]
    } catch (error) {
      if (!(error instanceof TsConfigError)) throw error
      findings.push(unreadable(error))
      return []
    }
  })
  return { all, findings: findings.filter(isFirst) }
}

type Use = Omit<Configuration, 'settings'>

function usesOf({ root, commands, tsconfig }: Project): Use[] {
  const atRoot = join(root, 'tsconfig.json')
  const uses: Use[] = [{ file: tsconfig, user: 'the command blazon', isCompiled: false }]
  for (const command of commands) {
    const { program, script } = command
    if (program === 'tsc' && !command.args.includes('--noEmit')) {
      const file = projectOf(command, root) ?? atRoot
      uses.push({ file, user: `tsc in the script ${script}`, isCompiled: true })
    } else if (runsTsx(command)) {
      uses.push({ file: atRoot, user: `tsx in the script ${script}`, isCompiled: false })
    }
  }
  // Others are for other programs of the repository, such as tests in a folder of their own.
  const isFor = ({ file }: Use) => !isOutside(dirname(tsconfig), dirname(file))
  return uses.filter((use) => isFor(use) && existsSync(use.file))
}

function projectOf({ args }: ScriptCommand, root: string): string | undefined {
  const named = optionOf(args, '-p', '--project', '-b', '--build')
  if (named === undefined || named.startsWith('-')) return undefined
  const path = resolve(root, named)
  return path.endsWith('.json') ? path : join(path, 'tsconfig.json')
}

/** Whether a command runs tsx, which reads the `tsconfig.json` of the folder that it runs in. */
export function runsTsx({ program, args }: ScriptCommand): boolean {
  return (
    program === 'tsx' || (program === 'node' && args.some((arg) => /^(?:--import=)?tsx$/.test(arg)))
  )
}

function unreadable({ message, place }: TsConfigError): Finding {
  return finding('E_TSCONFIG_INVALID', {
    subject: 'tsconfig.json',
    place,
    cause: sentence(message),
    remedy: `Correct ${place.file.slice(dirname(place.file).length + 1)}: compilers and tsx read it, too.`,
  })
}

function isFirst({ place }: Finding, index: number, all: readonly Finding[]): boolean {
  return all.findIndex((other) => other.place?.file === place?.file) === index
}
