// The child process of the command line: it imports the user's code, sends one report, and ends.
import { pathToFileURL } from 'node:url'
import type { AppDescription } from '../../app/announce.js'
import { messageOf } from '../message-of.js'
import type { DocumentReport, Envelope, Failure, Job, Report } from './protocol.js'
import { readApp } from './read-app.js'
import { exportsOf, SelectionError } from './select-app.js'

async function run(job: Job): Promise<Report> {
  const { kind, module } = job
  if (kind === 'config') {
    return { kind, config: exportsOf(await import(pathToFileURL(module).href))['default'] }
  }
  const app = await readApp(module, { recordsDecorators: kind === 'explain' })
  const warnings = app.warnings()
  if (kind === 'routes') return { kind, routes: app.routes(), warnings }
  if (kind === 'explain') return { kind, result: await app.explain(job.query), warnings }
  return { kind, documents: documentsOf(app), warnings }
}

function documentsOf(app: AppDescription): DocumentReport[] {
  return app.documents().map(({ path, document, problems }) => ({ path, document, problems }))
}

function failureOf(error: unknown): Failure {
  const stack = error instanceof Error ? error.stack : undefined
  const message = messageOf(error)
  if (error instanceof SelectionError) return { kind: 'failure', reason: error.reason, message }
  // Compare the name instead of the class: the application may use another copy of this package.
  const isDeclaration = error instanceof Error && error.name === 'ConfigError'
  if (isDeclaration) return { kind: 'failure', reason: 'declaration', message, stack }
  const name = error instanceof Error ? `${error.name}: ` : ''
  return { kind: 'failure', reason: 'threw', message: `${name}${message}`, stack }
}

function sendReport(report: Report): void {
  const envelope: Envelope = { blazon: report }
  // Exit explicitly: connections that the application opened would keep the process alive.
  process.send?.(envelope, () => process.exit(0))
}

process.once('message', (job: Job) => {
  run(job).then(sendReport, (error) => sendReport(failureOf(error)))
})
process.on('disconnect', () => process.exit(1))
process.on('uncaughtException', (error) => sendReport(failureOf(error)))
process.on('unhandledRejection', (error) => sendReport(failureOf(error)))
