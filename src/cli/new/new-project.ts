import { spawn } from 'node:child_process'
import { basename, join, relative } from 'node:path'
import { CliError } from '../cli-error.js'
import type { ProgramContext } from '../program-context.js'
import { runningManager } from '../project-command.js'
import { writeFiles } from '../write-files.js'
import { manifestOf, packageManifest, packageSource } from './manifest.js'
import {
  type NewOptions,
  type PackageManager,
  type ProjectFacts,
  TEMPLATES,
  type Template,
} from './new-options.js'
import { projectFolder } from './project-folder.js'
import { hasJobs, JOBS_NODE, readTemplate } from './read-template.js'

/**
 * Creates a project: writes its files, creates a git repository, installs the packages, and prints the next commands.
 *
 * @throws CliError before any file is written if the folder, the name or the package source is invalid; after all files
 * are written if the packages cannot be installed.
 */
export async function newProject(options: NewOptions, context: ProgramContext): Promise<void> {
  const { streams, cwd } = context
  const ask = options.yes ? undefined : context.ask
  const given = options.folder ?? (await askFolder(ask))
  const folder = projectFolder(given, cwd)
  const own = packageManifest()
  const name = projectName(options.name, folder)
  const template = options.template ?? (await askTemplate(ask))
  const { node } = process.versions
  const facts: ProjectFacts = {
    name,
    template,
    decorators: options.decorators,
    test: options.test,
    pm: options.pm ?? runningManager(),
    source: packageSource(options.package, `^${own.version}`, { cwd, folder }),
    jobs: hasJobs(template, node),
  }
  const files = new Map([['package.json', manifestOf(facts, own)], ...readTemplate(facts)])
  writeFiles([...files].map(([name, text]) => ({ path: join(folder, name), text })))
  streams.out(`${folder}: ${files.size} files of the template ${template}.\n`)
  if (template === 'saas' && !facts.jobs)
    streams.out(
      `The job of the template is omitted: jobs need Node ${JOBS_NODE.join('.')} or later, and this is ${node}.\n`,
    )
  if (options.git) await makeRepository(folder)
  if (options.install) await install(facts.pm, folder)
  const way = relative(cwd, folder)
  streams.out(nextSteps(facts, { way, isInstalled: options.install }))
}

/**
 * The maximum length of a name. npm accepts 214 characters, but the name is also part of the prefix of Redis keys, and
 * the prefix can have at most 100 characters.
 */
const MAX_LENGTH = 80

/** Matches a name that npm accepts, with or without a scope. It is also safe in all template files. */
const NAME = /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/

/** Names that npm refuses, and the name of this package, which cannot depend on itself. */
const RESERVED = ['node_modules', 'favicon.ico', 'blazon']

/**
 * Returns the package name of the project: the specified name, or otherwise the name of its folder.
 *
 * @throws CliError if npm would refuse the name or it is too long.
 */
function projectName(given: string | undefined, folder: string): string {
  const name = given ?? basename(folder)
  if (NAME.test(name) && name.length <= MAX_LENGTH && !RESERVED.includes(name)) return name
  const shown = JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name)
  throw new CliError({
    status: 2,
    what: `${shown} cannot be the name of a package.`,
    cause: `A name has at most ${MAX_LENGTH} lower-case letters, digits, ".", "_" and "-", and begins with a letter or digit. ${RESERVED.join(', ')} are reserved.`,
    remedy:
      given === undefined
        ? 'To keep the folder, specify a name for the package: --name my-api'
        : 'Choose another name: --name my-api',
  })
}

type Ask = ProgramContext['ask']

async function askFolder(ask: Ask): Promise<string> {
  const name = (await ask?.('Folder of the project: '))?.trim()
  if (name) return name
  throw new CliError({
    status: 2,
    what: 'No project folder was specified.',
    remedy: 'Specify a folder that does not exist yet: blazon new my-api',
  })
}

async function askTemplate(ask: Ask): Promise<Template> {
  const given = (await ask?.(`Template, ${TEMPLATES.join(', ')} (minimal): `))?.trim() || 'minimal'
  const template = TEMPLATES.find((each) => each === given)
  if (template !== undefined) return template
  throw new CliError({
    status: 2,
    what: `Unknown template ${JSON.stringify(given)}.`,
    remedy: `Choose one of ${TEMPLATES.join(', ')}.`,
  })
}

/** Creates a repository, unless the folder is already in a repository. A missing git does not cause a failure. */
async function makeRepository(folder: string): Promise<void> {
  const inside = await runProgram('git', ['rev-parse', '--is-inside-work-tree'], {
    cwd: folder,
    isQuiet: true,
  })
  if (typeof inside === 'number' && inside !== 0) {
    await runProgram('git', ['init', '--quiet'], { cwd: folder, isQuiet: true })
  }
}

async function install(pm: PackageManager, folder: string): Promise<void> {
  const ending = await runProgram(pm, ['install'], { cwd: folder })
  if (ending === 0) return
  throw new CliError({
    status: ending === 'missing' ? 4 : 1,
    what: 'The project is complete, but its packages are not installed.',
    cause: causeOf(ending, pm),
    remedy: `Run this command in ${folder}: ${pm} install`,
  })
}

function causeOf(ending: Ending, pm: PackageManager): string {
  if (ending === 'missing') return `${pm} cannot be started.`
  if (ending === 'killed') return `A signal ended ${pm} install.`
  return `${pm} install ended with status ${ending}.`
}

function nextSteps(
  { pm }: Pick<ProjectFacts, 'pm'>,
  { way, isInstalled }: { readonly way: string; readonly isInstalled: boolean },
): string {
  const steps = [
    way === '' ? [] : [`cd ${/^[\w./@-]+$/.test(way) ? way : JSON.stringify(way)}`],
    isInstalled ? [] : [`${pm} install`],
    [`${pm} test`],
    [`${pm} run dev`],
  ].flat()
  return `\n${steps.map((step) => `  ${step}\n`).join('')}`
}

/** The result of a program: its exit code, or the reason why it has none. */
type Ending = number | 'missing' | 'killed'

/** Runs a program without a shell. Writes its output to stderr, because stdout is for results. */
function runProgram(
  program: string,
  args: readonly string[],
  { cwd, isQuiet = false }: { readonly cwd: string; readonly isQuiet?: boolean },
): Promise<Ending> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      shell: false,
      stdio: isQuiet ? 'ignore' : ['ignore', 2, 2],
    })
    child.once('error', () => resolve('missing'))
    child.once('close', (code) => resolve(code ?? 'killed'))
  })
}
