import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ProgramContext } from '../program-context.js'
import type { Streams } from '../streams.js'
import { checkFree } from './check-free.js'
import { nextMigration } from './next-migration.js'
import type { AddOptions, CodeKind, Kind } from './part-kinds.js'
import { capital, type PartName, partName } from './part-name.js'
import { folderFor } from './place-part.js'
import { givenFolder, inFolder, type Project, readProject } from './project-files.js'
import { codeStyle, fileNamer, testStyle } from './project-style.js'
import { type PartFile, readPart } from './read-part.js'
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
    return writeChanges([changeOf(await nextMigration(plan, project), project.root)], how)
  }
  const files = codeFiles(kind, { name, folder, project })
  const changes = files.map((file) => changeOf(file, project.root))
  const isClass = kind === 'controller' || kind === 'guard'
  const exported = `${isClass ? name.pascal : name.camel}${capital(kind)}`
  const wiring = wirePart({ kind, name: exported, path: files[0]?.path ?? '' }, project)
  writeChanges([...changes, ...wiredFile(wiring, project)], how)
  if (wiring.is === 'advice') advise(wiring, streams)
  const isStale = kind === 'controller' || kind === 'module'
  if (isStale && wiring.is === 'changed' && !dryRun) adviseDocument(project, streams)
}

interface CodePart {
  readonly name: PartName
  /** `undefined` for the folder of the others of the kind. */
  readonly folder: string | undefined
  readonly project: Project
}

function codeFiles(kind: CodeKind, { name, folder, project }: CodePart): PartFile[] {
  const place = folder ?? folderFor(kind, name, project)
  const fileName = fileNamer(project)
  const files = readPart({
    kind,
    name,
    pathOf: (each) => inFolder(place, `${fileName(name, each)}.ts`),
    code: codeStyle(project.sources),
    test: testStyle(project),
  })
  const paths = files.map(({ path }) => path)
  checkFree(
    files,
    project.sources.filter(({ path }) => !paths.includes(path)),
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
