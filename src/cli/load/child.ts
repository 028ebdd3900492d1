// The command line's child process: it imports the user's code, sends one report, and exits.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AppDescription } from '../../app/describer.js'
import { findPlace } from '../../app/explain/explanation.js'
import type { Plugin } from '../../contracts/plugin.js'
import type { Problem } from '../../errors/config-error.js'
import type { DeclaredEnv, EnvReport } from '../../features/env/report-env.js'
import type { AppliedDecorator } from '../../metadata/read.js'
import { messageOf } from '../texts.js'
import {
  type DocumentReport,
  type Envelope,
  type Failure,
  type Job,
  type JobInputs,
  type PlacedProblem,
  type Report,
  recordsDecorators,
} from './protocol.js'
import { exportsOf, readApp, SelectionError } from './read-app.js'

/** The key of the function that `features/env/report-env.ts` calls. */
const LISTENER = Symbol.for('blazon.env')

/**
 * Imports a module, and reports the variables of every `env()` call in the module and in its imports. Must run in a
 * separate process.
 */
async function readEnvs(module: string): Promise<EnvReport[]> {
  const declared: DeclaredEnv[] = []
  const value = (each: DeclaredEnv) => declared.push(each)
  Object.defineProperty(globalThis, LISTENER, { value })
  try {
    await readApp(module)
  } catch (error) {
    // The module need not contain an application. It may also have read invalid variables, which are reported below.
    const isEnough = error instanceof SelectionError || isAboutVariables(error)
    if (!isEnough || declared.length === 0) throw error
  }
  return await Promise.all(declared.map((each) => each.report()))
}

/** Compares names instead of classes, because the application may use another copy of this package. */
function isAboutVariables(error: unknown): boolean {
  const { name, problems = [] } = (error ?? {}) as { name?: string; problems?: { code: string }[] }
  return name === 'ConfigError' && problems.some(({ code }) => code === 'E_ENV_INVALID')
}

/** The key under which the list of an application's decorators is stored; see `metadata/applied.ts`. */
const LIST = Symbol.for('blazon.decorators')

/**
 * Makes every copy of this package in the process record its decorators. Must be called before the first copy is
 * loaded.
 */
function keepDecorators(): void {
  Object.defineProperty(globalThis, LIST, { value: [] })
}

function keptDecorators(): readonly AppliedDecorator[] {
  return (globalThis as { [LIST]?: readonly AppliedDecorator[] })[LIST] ?? []
}

/** Adds the position of the class or method to which a problem refers, such as `UsersController.getById`. */
function placed(problem: PlacedProblem): PlacedProblem {
  const [, className, member] = /^([\w$]+)(?:\.([\w$]+))?/.exec(problem.subject) ?? []
  const decorators = keptDecorators()
  // If two classes have the same name, the later class is used.
  const ofClass = decorators.findLast((each) => each.className === className)
  const ofMember = decorators.findLast(
    (each) => each.record === ofClass?.record && String(each.member) === member,
  )
  // A method without its own decorator is inherited from a base class, so the position of the class is used.
  const found = ofMember ?? ofClass
  const at = found && findPlace(found, process.cwd())
  return at ? { ...problem, place: { file: resolve(at.file), line: at.line } } : problem
}

/** The locations from which instances of this package were loaded. */
const instances: string[] = []

async function run(job: Job): Promise<Report> {
  const { kind, module } = job
  if (kind === 'config') {
    return { kind, config: exportsOf(await import(pathToFileURL(module).href))['default'] }
  }
  if (kind === 'env') return { kind, envs: await readEnvs(module) }
  if (job.kind === 'replay') {
    const { replayCapsule } = await import('../replay/replay-capsule.js')
    return { kind: job.kind, outcome: await replayCapsule(job) }
  }
  const onLoaded = (stack: string) => instances.push(folderOf(stack))
  if (recordsDecorators(kind)) keepDecorators()
  const app = await readApp(module, onLoaded)
  if (kind === 'doctor') {
    const { problems, usesTenants } = await app.examine()
    return { kind, problems: problems.map(placed), usesTenants, instances }
  }
  const warnings = app.warnings()
  if (kind === 'routes') return { kind, routes: app.routes(), jobs: jobsOf(app), warnings }
  if (job.kind === 'explain')
    return { kind: job.kind, result: await app.explain(job.query), warnings }
  return { kind: 'documents', documents: documentsOf(app), warnings }
}

/**
 * Returns the inputs of the jobs. Building the document takes time, so it is built only if a plugin can add jobs to it.
 */
function jobsOf(app: AppDescription): JobInputs {
  const { plugins = [] } = app.options() as { readonly plugins?: readonly Partial<Plugin>[] }
  if (plugins.every(({ document }) => document === undefined)) return {}
  return (app.documents()[0]?.document['x-jobs'] ?? {}) as JobInputs
}

function documentsOf(app: AppDescription): DocumentReport[] {
  return app.documents().map(({ path, document, problems }) => ({ path, document, problems }))
}

/**
 * Returns the first file in a stack after the command line's own frames. The file belongs to an instance of this
 * package.
 */
function folderOf(stack: string): string {
  const places = [...stack.matchAll(/(?:file:\/\/)?((?:\/|[A-Za-z]:[\\/])[^():\n]+):\d+/g)]
  const own = places.map(([, path = '']) => path).filter((path) => !/[\\/]cli[\\/]/.test(path))
  return own[0] ?? 'an unknown place'
}

function failureOf(error: unknown): Failure {
  const stack = error instanceof Error ? error.stack : undefined
  const message = messageOf(error)
  if (error instanceof SelectionError) return { kind: 'failure', reason: error.reason, message }
  // Compares the name instead of the class, because the application may use another copy of this package.
  const isDeclaration = error instanceof Error && error.name === 'ConfigError'
  if (isDeclaration) {
    const problems = (error as { problems?: readonly Problem[] }).problems?.map(placed)
    return { kind: 'failure', reason: 'declaration', message, stack, problems, instances }
  }
  const name = error instanceof Error ? `${error.name}: ` : ''
  return { kind: 'failure', reason: 'threw', message: `${name}${message}`, stack }
}

function sendReport(report: Report): void {
  const envelope: Envelope = { blazon: report }
  // The process exits explicitly, because connections that the application has opened would keep it alive.
  process.send?.(envelope, () => process.exit(0))
}

process.once('message', (job: Job) => {
  run(job).then(sendReport, (error) => sendReport(failureOf(error)))
})
process.on('disconnect', () => process.exit(1))
process.on('uncaughtException', (error) => sendReport(failureOf(error)))
process.on('unhandledRejection', (error) => sendReport(failureOf(error)))
