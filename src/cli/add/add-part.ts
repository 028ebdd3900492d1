import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CliError } from '../cli-error.js'
import { runDb } from '../db/run-db.js'
import { readInstalled } from '../installed.js'
import { nearestWith } from '../output-path.js'
import type { ProgramContext } from '../program-context.js'
import { type OutputFile, readText, writeNew } from '../write-files.js'
import { type CodeKind, capital, type Kind, type PartName, partName } from './part-name.js'

/** A part to add. */
export interface NewPart {
  readonly kind: Kind
  readonly name: string
  /** The folder for its files. */
  readonly dir?: string
}

/** The property in which the application lists parts of each kind. */
const LISTS = {
  controller: (name: string) => `controllers: [${name}],`,
  module: (name: string) => `modules: [${name}],`,
  plugin: (name: string) => `plugins: [${name}],`,
  guard: (name: string) => `auth: { guard: ${name} },`,
}

/**
 * Adds a part to the project in the current folder: writes its files, and prints the next step for the user.
 *
 * @throws CliError if there is no project, the name or the folder is invalid, or a file exists. In that case, no files
 * are written.
 */
export async function addPart(
  { kind, name: given, dir }: NewPart,
  { cwd, streams }: ProgramContext,
): Promise<void> {
  const name = partName(given, kind)
  const { root, manifest } = projectOf(cwd)
  const place = { root, option: '--dir' }
  const named = dir === undefined ? undefined : resolve(cwd, dir)
  if (kind === 'migration') {
    const { advice, ...file } = await nextMigration(named ?? join(root, 'migrations'), name.snake)
    writeNew([file], place, streams)
    return streams.out(`\n${advice}\n`)
  }
  const sources = join(root, existsSync(join(root, 'src')) ? 'src' : '')
  const folder = named ?? join(sources, kind === 'module' ? name.kebab : '')
  const { dependencies, devDependencies } = manifest
  const files = readPart({
    kind,
    name,
    folder,
    testFolder: join(root, 'test'),
    runner: 'vitest' in { ...dependencies, ...devDependencies } ? 'vitest' : 'node:test',
    hasZod: 'zod' in { ...dependencies },
  })
  writeNew(files, place, streams)
  const exported = exportOf(kind, name)
  const line = importOf(exported, sources, join(folder, `${name.kebab}-${kind}.js`))
  streams.out(`\nAdd to the application:\n  ${line}\n  ${LISTS[kind](exported)}\n`)
}

function exportOf(kind: Kind, { pascal, camel }: PartName): string {
  return `${kind === 'controller' || kind === 'guard' ? pascal : camel}${capital(kind)}`
}

function projectOf(cwd: string) {
  const root = nearestWith('package.json', cwd)
  const project = root === undefined ? null : readInstalled(root)
  if (root !== undefined && project !== null) return { root, manifest: project.manifest }
  throw new CliError({
    status: 2,
    what: `${cwd} is not inside a project.`,
    cause: 'There is no package.json in this folder or above it, or the file is not JSON.',
    remedy: 'Run the command in a project. `blazon new` creates one.',
  })
}

/** The file of a migration, and the next step for the user. */
interface NewMigration extends OutputFile {
  readonly advice: string
}

const NAME = /^(\d{4,14})_(.+)\.sql$/

const EMPTY = '-- Write the statements here. A migration without a statement is refused.\n'

const RESTART =
  'before you save another file, because `blazon dev` applies new migrations at each restart'

const TO_WRITE = `Write its statements ${RESTART}. A migration without a statement is refused.`

const TO_COMPLETE = `The table has no additional columns yet. Add them ${RESTART}. The file of an applied migration must not change.`

/**
 * Returns the file for a migration, numbered after the last migration. A migration `create_<table>` contains the SQL
 * from `blazon db table` if another migration has tenant tables. Any other migration contains a comment.
 *
 * @param words The words of its name, such as `create_orders`. If a migration with this name exists, its path is
 * returned.
 */
async function nextMigration(folder: string, words: string): Promise<NewMigration> {
  const names = existsSync(folder) ? readdirSync(folder).sort() : []
  const last = names.findLast((name) => NAME.test(name)) ?? '0000_'
  const digits = last.indexOf('_')
  const number = String(Number(last.slice(0, digits)) + 1).padStart(digits, '0')
  const existing = names.find((name) => NAME.exec(name)?.[2] === words)
  const path = join(folder, existing ?? `${number}_${words}.sql`)
  const [, table] = /^create_(.+)$/.exec(words) ?? []
  const hasTenants = names.some((name) => readText(join(folder, name))?.includes('tenant_id'))
  if (table === undefined || !hasTenants) return { path, text: EMPTY, advice: TO_WRITE }
  const text = await runDb(({ tenantTable }) => tenantTable(table, { columns: [] }))
  return { path, text, advice: TO_COMPLETE }
}

/** The inputs that determine the files of a part. */
interface PartPlan {
  readonly kind: CodeKind
  readonly name: PartName
  /** The folder for the part, and the folder for its test. */
  readonly folder: string
  readonly testFolder: string
  readonly runner: 'vitest' | 'node:test'
  /** Whether controllers declare their input with zod schemas. */
  readonly hasZod: boolean
}

/** Returns the files of a part: the source file first, and the test last. */
function readPart(plan: PartPlan): OutputFile[] {
  const { kind, name, folder, testFolder, hasZod } = plan
  const kinds: readonly CodeKind[] = kind === 'module' ? ['module', 'controller'] : [kind]
  const templateOf = (each: CodeKind) => `${hasZod && each === 'controller' ? 'zod-' : ''}${each}`
  const sources = kinds.map((each) => ({
    path: join(folder, `${name.kebab}-${each}.ts`),
    text: read(`src/sample-name-${templateOf(each)}.ts`),
  }))
  const test = {
    path: join(testFolder, `${name.kebab}-${kind}.test.ts`),
    text: read(`test/sample-name-${templateOf(kind)}.test.ts`),
  }
  const files = [...sources, test].map((file) => adapt(file, plan))
  for (const { text } of files) refuseTaken(text)
  return files
}

function read(name: string): string {
  return readFileSync(
    fileURLToPath(new URL(`../../../templates/add/${name}`, import.meta.url)),
    'utf8',
  )
}

/** Adapts a template file. The templates are real files in which names are replaced. */
function adapt({ path, text }: OutputFile, { name, folder, runner }: PartPlan): OutputFile {
  const adapted = text
    .replace(/'[./]+(?:src\/)?sample-name-(?:zod-)?(\w+\.js)'/g, (_, end) => {
      return `'${specifierOf(dirname(path), join(folder, `${name.kebab}-${end}`))}'`
    })
    .replaceAll('sample-name', name.kebab)
    .replaceAll('sampleName', name.camel)
    .replaceAll('SampleName', name.pascal)
    .replace("from 'vitest'", `from '${runner}'`)
  return { path, text: adapted }
}

/** Returns the statement with which a file in `folder` imports a name from `path`. */
function importOf(name: string, folder: string, path: string): string {
  return `import { ${name} } from '${specifierOf(folder, path)}';`
}

function specifierOf(folder: string, path: string): string {
  const way = relative(folder, path).replaceAll('\\', '/')
  return way.startsWith('.') ? way : `./${way}`
}

/**
 * Refuses names that are already in use: a guard `auth` would be called `AuthGuard`, like the interface that it
 * implements.
 */
function refuseTaken(text: string): void {
  const imported = [...text.matchAll(/^import (?:type )?\{ (.*) \} from/gm)].flatMap(
    ([, names = '']) => names.split(/, (?:type )?/),
  )
  const declared = [...text.matchAll(/^export (?:class|const) (\w+)/gm)].map(([, name]) => name)
  const taken = imported.find(
    (name, index) => declared.includes(name) || imported.indexOf(name) !== index,
  )
  if (taken === undefined) return
  throw new CliError({
    status: 2,
    what: 'The name is taken. Nothing was written.',
    cause: `${taken} is a name that the file imports.`,
    remedy: 'Choose another name.',
  })
}
