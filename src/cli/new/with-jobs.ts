import type { ProjectFacts, Template } from './new-options.js'

/** The lowest Node that pg-boss supports. */
export const JOBS_NODE: readonly [major: number, minor: number] = [22, 12]

/** Whether a project has a job: it is part of one template, and needs a later Node than the others. */
export function hasJobs(template: Template, version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [least, leastMinor] = JOBS_NODE
  return template === 'saas' && (major > least || (major === least && minor >= leastMinor))
}

/** Texts of the files of the template, and the texts that take their places. */
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
      `  // The database is the queue. Each process of the application runs jobs beside its requests.
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
      `A new note is announced by a job, \`src/note-mails.ts\`: it is sent in the transaction of the request, and runs as its tenant. With
\`work: true\` in \`src/stores.ts\`, each process runs jobs. To run them in processes of their own, leave it out there, and start some
processes by \`npx blazon start --jobs\`. \`npx blazon jobs dead\` lists the jobs that have failed. The first start makes the tables of
jobs in a schema of its own, so the login of the application needs the right to make one: see \`compose.yaml\`.

The documentation page is at`,
    ],
  ],
  'AGENTS.md': [
    [
      '- Every route of a tenant has',
      `- Work that may end after the response is a job, as in \`src/note-mails.ts\`: \`defineJob\`, a class with \`@Worker()\` that
  \`src/stores.ts\` lists, and \`inject(Jobs).send\` in the handler. Its test uses \`app.jobs.sent\` and \`app.jobs.drain()\`.
- Every route of a tenant has`,
    ],
  ],
}

/** The text of a file of the template in a project with jobs. */
export function withJobs(path: string, text: string, { jobs }: Pick<ProjectFacts, 'jobs'>): string {
  if (!jobs) return text
  return (CHANGES[path] ?? []).reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`${path} of the template has no ${from}`)
    return changed.replace(from, () => to)
  }, text)
}
