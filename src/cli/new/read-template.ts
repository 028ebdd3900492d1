import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PackageManager, ProjectFacts, Template } from './new-options.js'

/** The source folders of a template. Files in later folders replace files in earlier folders. */
const FOLDERS: Readonly<Record<Template, readonly string[]>> = {
  minimal: ['common', 'minimal'],
  service: ['common', 'container', 'service'],
  saas: ['common', 'container', 'saas'],
}

/** The name of the project in the template files. */
const NAME = 'project-name'

/**
 * Returns the files of a project, with the template adapted to these inputs. The keys are paths with forward slashes.
 */
export function readTemplate(facts: ProjectFacts): Map<string, string> {
  const files = new Map<string, string>()
  for (const folder of [...FOLDERS[facts.template], ...(facts.jobs ? ['saas-jobs'] : [])]) {
    for (const [path, text] of filesIn(folder))
      files.set(nameOf(path), adapt(path, withJobs(path, text, facts), facts))
  }
  if (facts.test === 'node') files.delete('vitest.config.ts')
  copyMigrations(files)
  for (const [path, text] of Object.entries(SETTINGS[facts.pm])) files.set(path, text)
  return files
}

/**
 * Adds the migrations to the container image of a project that has migrations. They are beside the compiled code, where
 * the application expects them.
 */
function copyMigrations(files: Map<string, string>): void {
  const text = files.get('Dockerfile')
  if (text === undefined || ![...files.keys()].some((path) => path.startsWith('migrations/')))
    return
  const line = /^COPY --from=build \/app\/dist .*\n/m
  files.set('Dockerfile', text.replace(line, '$&COPY --from=build /app/migrations ./migrations\n'))
}

function* filesIn(folder: string): Generator<[path: string, text: string]> {
  const root = join(fileURLToPath(new URL('../../../templates', import.meta.url)), folder)
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(root, name)
    if (statSync(path).isFile()) yield [name.replaceAll('\\', '/'), readFileSync(path, 'utf8')]
  }
}

/**
 * Returns the final name of a template file. npm omits `.gitignore` when it packs, so the names of hidden files begin
 * with an underscore.
 */
function nameOf(path: string): string {
  return path.replace(/(^|\/)_/, '$1.')
}

/**
 * Adapts a template file. The templates are real files with standard decorators, Vitest and npm. All variants are
 * created by replacements.
 */
function adapt(path: string, text: string, { name, decorators, test, pm }: ProjectFacts): string {
  let adapted = text.replaceAll(NAME, name)
  if (path === 'tsconfig.json' && decorators === 'legacy') {
    adapted = adapted.replace('"experimentalDecorators": false', '"experimentalDecorators": true')
  }
  if (path.endsWith('.test.ts') && test === 'node') {
    adapted = adapted
      .replace("from 'vitest'", "from 'node:test'")
      .replaceAll(/\b(after|before)All\b/g, '$1')
  }
  return /\.tsx?$/.test(path) ? adapted : withCommandsOf(pm, adapted)
}

/** npm commands in the templates and their replacements for another package manager, in the order of replacement. */
type Words = readonly (readonly [npm: RegExp, other: string])[]

const PNPM: Words = [
  [/\bnpm ci\b/g, 'pnpm install --frozen-lockfile'],
  [/\bnpm prune --omit=dev\b/g, 'pnpm prune --prod'],
  [/\bpackage-lock\.json\b/g, 'pnpm-lock.yaml pnpm-workspace.yaml'],
  [/\bnpx /g, 'pnpm exec '],
  [/\bnpm /g, 'pnpm '],
  // Node's images contain npm but, since Node 25, not corepack.
  [/^RUN (?=pnpm install)/gm, 'RUN npm install --global pnpm@12 && '],
]

/** The replacements for Yarn 4. */
const YARN: Words = [
  [/\bnpm ci\b/g, 'yarn install --immutable'],
  [/\bnpm prune --omit=dev\b/g, 'yarn workspaces focus --production'],
  [/\bpackage-lock\.json\b/g, 'yarn.lock .yarnrc.yml'],
  // For .gitignore and .dockerignore, because Yarn stores the state of the installation in `.yarn`.
  [/^node_modules(\/?)$/gm, '.yarn$1\nnode_modules$1'],
  [/\bnpx /g, 'yarn '],
  [/\bnpm /g, 'yarn '],
  [/^RUN (?=yarn install)/gm, 'RUN npm install --global @yarnpkg/cli-dist@4 && '],
]

const WORDS: Readonly<Record<PackageManager, Words>> = { npm: [], pnpm: PNPM, yarn: YARN }

/** Replaces the commands in a template with those for a package manager. */
function withCommandsOf(pm: PackageManager, text: string): string {
  return WORDS[pm].reduce((adapted, [npm, other]) => adapted.replace(npm, other), text)
}

/** The settings files that each package manager needs: the content by file name. */
const SETTINGS: Readonly<Record<PackageManager, Readonly<Record<string, string>>>> = {
  npm: {},
  // Since version 11, pnpm fails if a package has an install script that the settings neither allow nor forbid.
  pnpm: {
    'pnpm-workspace.yaml':
      '# Whether the install scripts of packages run.\nallowBuilds:\n  esbuild: false\n',
  },
  // Yarn 4 keeps packages in archives by default, which the command `blazon` and compilers cannot read.
  yarn: { '.yarnrc.yml': 'nodeLinker: node-modules\n' },
}

/** The oldest Node version that pg-boss supports. */
export const JOBS_NODE: readonly [major: number, minor: number] = [22, 12]

/**
 * Whether a project has a job. Only one template has a job, and the job needs a later Node version than the rest of the
 * template.
 */
export function hasJobs(template: Template, version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [least, leastMinor] = JOBS_NODE
  return template === 'saas' && (major > least || (major === least && minor >= leastMinor))
}

/** Strings in the template files, and their replacements. */
const CHANGES: Readonly<Record<string, readonly (readonly [text: string, other: string])[]>> = {
  'src/notes-controller.ts': [
    ["} from 'blazon'\n", "} from 'blazon'\nimport { Jobs } from 'blazon/jobs'\n"],
    ["from 'zod'\n", "from 'zod'\nimport { NoteAdded } from './note-mails.js'\n"],
    [
      '  private readonly notes = inject(NotesRepository)\n',
      '  private readonly notes = inject(NotesRepository)\n  private readonly jobs = inject(Jobs)\n',
    ],
    [
      `  add({ body }: { body: NewNote }) {
    return this.notes.add(body)
`,
      `  async add({ body }: { body: NewNote }) {
    const note = await this.notes.add(body)
    await this.jobs.send(NoteAdded, { id: note.id })
    return note
`,
    ],
  ],
  'src/stores.ts': [
    ["from 'blazon'\n", "from 'blazon'\nimport { jobs } from 'blazon/jobs'\n"],
    ["from 'blazon/redis'\n", "from 'blazon/redis'\nimport { NoteMails } from './note-mails.js'\n"],
    [
      '  const plugins = [database(places)]\n',
      `  // The database is the queue. Each process of the application handles requests and runs jobs.
  const plugins = [database(places), jobs({ work: true, workers: [NoteMails] })]
`,
    ],
  ],
  'compose.yaml': [
    [
      "noinherit password 'app';",
      "noinherit password 'app'; grant create on database postgres to app;",
    ],
  ],
  'README.md': [
    [
      'The documentation page is at',
      `A job, \`src/note-mails.ts\`, announces each new note: the request sends it in its transaction, and it runs as the tenant of the request. With
\`work: true\` in \`src/stores.ts\`, each process runs jobs. To run them in separate processes, omit it there, and start some
processes with \`npx blazon start --jobs\`. \`npx blazon jobs dead\` lists the jobs that have failed. The first start creates the tables of
jobs in their own schema, so the login of the application needs the privilege to create a schema: see \`compose.yaml\`.

The documentation page is at`,
    ],
  ],
  'AGENTS.md': [
    [
      '- Every route of a tenant has',
      `- Work that can end after the response is a job, as in \`src/note-mails.ts\`: \`defineJob\`, a class with \`@Worker()\` that
  \`src/stores.ts\` lists, and \`inject(Jobs).send\` in the handler. Its test uses \`app.jobs.sent\` and \`app.jobs.drain()\`.
- Every route of a tenant has`,
    ],
  ],
}

/** Returns the content of a template file in a project with jobs. */
function withJobs(path: string, text: string, { jobs }: Pick<ProjectFacts, 'jobs'>): string {
  if (!jobs) return text
  return (CHANGES[path] ?? []).reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`${path} of the template has no ${from}`)
    return changed.replace(from, () => to)
  }, text)
}
