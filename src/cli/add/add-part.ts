import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ProgramContext } from '../program-context.js'
import type { Streams } from '../streams.js'
import { checkFree } from './check-free.js'
import { describedObjects } from './described-objects.js'
import { type Access, describeAccess } from './fit-part.js'
import { nextMigration } from './next-migration.js'
import type { AddOptions, CodeKind, Kind } from './part-kinds.js'
import { capital, type PartName, partName } from './part-name.js'
import { folderFor } from './place-part.js'
import { givenFolder, inFolder, type Project, readProject } from './project-files.js'
import { codeStyle, fileNamer, testStyle } from './project-style.js'
import { isServed, type PartFile, type PartPlan, readPart } from './read-part.js'
import { testSetup } from './test-setup.js'
import { type Wiring, wirePart } from './wire-part.js'
import { type Change, changeOf, writeChanges } from './write-changes.js'

/** A part to add. */
export interface NewPart extends AddOptions {
  readonly kind: Kind
  readonly name: string
}

/**
 * Adds a part to the project of the current folder: writes its files, and names it in the application.
 *
 * @throws CliError when the name or the folder is wrong, or a file exists with another text. Then nothing was written.
 */
export async function addPart(
  { kind, name: given, dir, dryRun = false }: NewPart,
  { cwd, streams }: ProgramContext,
): Promise<void> {
  const name = partName(given, kind)
  const project = readProject(cwd)
  const folder = dir === undefined ? undefined : givenFolder(dir, cwd, project)
  const how = { root: project.root, dryRun, streams }
  if (kind === 'migration') {
    const plan = { folder: folder ?? 'migrations', words: name.snake }
    const { advice, ...file } = await nextMigration(plan, project)
    writeChanges([changeOf(file, project.root)], how)
    if (advice !== undefined && !dryRun) streams.out(`\n${advice}\n`)
    return
  }
  const place = folder ?? folderFor(kind, name, project)
  const pathOf = (each: CodeKind) => inFolder(place, `${fileNamer(project)(name, each)}.ts`)
  const isClass = kind === 'controller' || kind === 'guard'
  const exported = `${isClass ? name.pascal : name.camel}${capital(kind)}`
  const wiring = wirePart({ kind, name: exported, path: pathOf(kind) }, project)
  const plan = planOf({ kind, name, project, pathOf, isListed: wiring.is !== 'advice' })
  const files = codeFiles(plan, project)
  const changes = files.map((file) => changeOf(file, project.root))
  const isNew = changes.some(({ old }) => old === undefined)
  writeChanges([...changes, ...wiredFile(wiring, project)], how)
  if (wiring.is === 'advice') advise(wiring, streams)
  if (!isServed(kind)) return
  if (isNew) streams.out(accessOf(`${name.pascal}Controller`, plan, project))
  if (wiring.is === 'changed' && !dryRun) adviseDocument(project, streams)
}

interface CodePart {
  readonly kind: CodeKind
  readonly name: PartName
  readonly project: Project
  readonly pathOf: (kind: CodeKind) => string
  readonly isListed: boolean
}

/** Without a test to follow, the test of the part has neither guard nor tenants, and so the part needs none. */
function planOf({ kind, name, project, pathOf, isListed }: CodePart): PartPlan {
  const test = testStyle(project)
  const setup = hasOwnForm(project) ? undefined : testSetup(project, test.pathOf(pathOf(kind)))
  return {
    ...{ kind, name, pathOf, test, setup, isListed },
    code: codeStyle(project.sources),
    hasZod: Object.hasOwn(Object(project.manifest['dependencies']), 'zod'),
    access: setup === undefined ? { auth: false, tenant: false } : wantedAccess(project),
  }
}

/** Whether the application changes paths or responses, which the tests of the templates name. */
function hasOwnForm({ sources }: Project): boolean {
  const own = ['prefix', 'envelope', 'errors', 'validation', 'defaultStatus']
  return describedObjects(sources, 'app').some(({ values }) => own.some((key) => values.has(key)))
}

function wantedAccess({ sources }: Project): Access {
  const has = (key: string) =>
    describedObjects(sources, 'app').some(({ values }) => values.has(key))
  return { auth: has('auth'), tenant: has('tenant') }
}

function accessOf(name: string, { setup }: PartPlan, project: Project): string {
  return describeAccess(name, wantedAccess(project), setup !== undefined)
}

function codeFiles(plan: PartPlan, { sources }: Project): PartFile[] {
  const files = readPart(plan)
  const paths = files.map(({ path }) => path)
  checkFree(
    files,
    sources.filter(({ path }) => !paths.includes(path)),
  )
  return files
}

function wiredFile(wiring: Wiring, { sources }: Project): Change[] {
  if (wiring.is === 'changed') {
    return [{ path: wiring.file.path, text: wiring.text, old: wiring.file.text }]
  }
  const file = wiring.is === 'named' && sources.find(({ path }) => path === wiring.path)
  return file ? [{ ...file, old: file.text }] : []
}

function advise({ line, reason }: Wiring & { is: 'advice' }, streams: Streams): void {
  streams.out(`\nNo list was changed. ${reason}\nAdd to the options that you mean:\n  ${line},\n`)
}

function adviseDocument({ root }: Project, streams: Streams): void {
  if (!existsSync(join(root, 'openapi.json'))) return
  streams.out('\nopenapi.json is out of date now: npx blazon openapi export\n')
}
