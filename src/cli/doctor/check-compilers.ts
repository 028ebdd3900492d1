import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { checkSwc } from './check-swc.js'
import { checkVite } from './check-vite.js'
import type { Configuration, Configurations } from './configurations.js'
import { type Checked, type Finding, finding, joined, type Place } from './finding.js'
import type { Project } from './project.js'
import { optionOf, type ScriptCommand } from './scripts.js'
import { findIn, textOf } from './sources.js'

/** Programs that compile, and are not looked at. */
const UNKNOWN = [
  'babel',
  'bun',
  'deno',
  'jest',
  'ncc',
  'parcel',
  'rolldown',
  'rollup',
  'tsdown',
  'webpack',
]
/** Options of Node that load a compiler. */
const LOADS = /^(?:--import|--require|-r|--loader|--experimental-loader)\b/

/** Looks for settings of compilers that leave decorators in their output, or change the names of classes. */
export function checkCompilers(project: Project, configurations: Configurations): Checked {
  const [main] = configurations.all
  if (main === undefined) return joined([])
  const { isLegacy } = main.settings
  const unknown = new Set(
    project.commands.map(({ program }) => program).filter((each) => UNKNOWN.includes(each)),
  )
  const checked = [
    ...(isLegacy ? [] : checkTsc(configurations)),
    ...project.commands.flatMap((command) => checkCommand(project, command, main)),
    ...checkBuildFiles(project, main),
    ...(isLegacy ? [] : checkVite(project)),
    ...checkSwc(project, main.settings),
  ]
  return { findings: checked, notChecked: [...unknown].map((each) => `how ${each} compiles`) }
}

/** A finding about decorators that a program leaves in its output, or cannot read. */
function kept(subject: string, place: Place, facts: Pick<Finding, 'cause' | 'remedy'>): Finding {
  return finding('E_DECORATORS_KEPT', { subject, place, ...facts })
}

function checkTsc({ all }: Configurations): Finding[] {
  const config = all.find(
    ({ isCompiled, settings }) => isCompiled && settings.target === Number.POSITIVE_INFINITY,
  )
  if (config === undefined) return []
  const cause = `For the target esnext, which TypeScript 5 has by default with "module": "nodenext", ${config.user} leaves decorators in its output. No engine runs them.`
  const place = config.settings.placeOf('target', 'module')
  return [kept('target', place, { cause, remedy: 'Write "target": "es2022".' })]
}

function checkCommand(project: Project, command: ScriptCommand, main: Configuration): Finding[] {
  if (command.program === 'node') return checkNodeCommand(project, command)
  if (command.program !== 'esbuild' && command.program !== 'tsup') return []
  const { args, place, script, program } = command
  const target = optionOf(args, '--target')
  const isKept =
    program === 'esbuild' && !main.settings.isLegacy && (target ?? 'esnext') === 'esnext'
  const isMinified = args.some((arg) => /^--minify(?:-identifiers)?(?:=true)?$/.test(arg))
  const keepsNames = args.some((arg) => /^--keep-?names/i.test(arg))
  return [
    ...(isKept ? [keptByEsbuild(`the script ${script}`, place)] : []),
    ...(isMinified && !keepsNames ? [minified(`the script ${script}`, place, '--keep-names')] : []),
  ]
}

/** Node removes types, but cannot compile decorators. */
function checkNodeCommand(
  { root, entry }: Project,
  { args, place, script }: ScriptCommand,
): Finding[] {
  const file = args.find((arg) => !arg.startsWith('-')) ?? ''
  if (!/\.[cm]?ts$/.test(file) || args.some((arg) => LOADS.test(arg))) return []
  // Other files, such as those of scripts, need not have decorators.
  if (!('path' in entry) || dirname(resolve(root, file)) !== dirname(entry.path)) return []
  const cause = `Node runs ${file} without a compiler. It removes types, and cannot read decorators.`
  const remedy =
    'npm install --save-dev tsx, and write: node --import tsx; or run `blazon dev`, or the compiled JavaScript.'
  return [kept(`the script ${script}`, place, { cause, remedy })]
}

function keptByEsbuild(subject: string, place: Place): Finding {
  const cause =
    'The default target of esbuild is esnext, for which it leaves standard decorators in its output. No engine runs them.'
  return kept(subject, place, {
    cause,
    remedy: "Set a target: --target=node20, or target: 'node20'.",
  })
}

function minified(subject: string, place: Place, option: string): Finding {
  return finding('W_NAMES_MINIFIED', {
    subject,
    place,
    cause:
      'It shortens the names of classes, which are the tags and the operation ids of the document, and the names in errors and log lines.',
    remedy: `Keep them: ${option}.`,
  })
}

/** A file that configures esbuild or a program that uses it. */
const BUILD_FILE = /^(?:(?:esbuild|tsup)\.config|build|esbuild|bundle)\.[cm]?[jt]s$/

function checkBuildFiles({ root, sources, commands }: Project, main: Configuration): Finding[] {
  const named = commands.flatMap(({ args }) => args).filter((arg) => /\.[cm]?js$/.test(arg))
  const files = new Set([
    ...sources.map(({ file }) => file).filter((file) => BUILD_FILE.test(basename(file))),
    ...named.map((arg) => resolve(root, arg)).filter((file) => existsSync(file)),
    ...['esbuild.config.mjs', 'esbuild.config.js', 'build.mjs', 'build.js', 'tsup.config.ts']
      .map((name) => join(root, name))
      .filter((file) => existsSync(file)),
  ])
  return [...files].flatMap((file) => checkBuildFile(file, main))
}

/** Only the text is read: to run the file would build the project. */
function checkBuildFile(file: string, { settings }: Configuration): Finding[] {
  const source = [{ file, text: textOf(file) }]
  const use = findIn(source, /\bfrom\s+['"](?:esbuild|tsup)['"]|\brequire\(['"]esbuild['"]\)/)
  if (use === null) return []
  const name = basename(file)
  const isEsbuild = findIn(source, /['"]esbuild['"]/) !== null
  const esnext = findIn(source, /\btarget\s*:\s*\[?\s*['"]esnext['"]/i)
  const hasTarget = findIn(source, /\btarget\s*:|\btarget\s*,/) !== null
  const minifies = findIn(source, /\bminify(?:Identifiers)?\s*:\s*true\b/)
  const keepsNames = findIn(source, /\bkeepNames\s*:\s*true\b/) !== null
  const isKept = !settings.isLegacy && (esnext !== null || (isEsbuild && !hasTarget))
  return [
    ...(isKept ? [keptByEsbuild(name, esnext ?? use)] : []),
    ...(minifies === null || keepsNames ? [] : [minified(name, minifies, 'keepNames: true')]),
  ]
}
