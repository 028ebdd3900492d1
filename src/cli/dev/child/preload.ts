// Loaded before the application, in its process: `node --import preload.js main.js`.
import { PARENT_VARIABLE, type ParentMessage } from '../protocol.js'
import { BootReport } from './boot-report.js'
import { Channel, isStartedByCommand } from './channel.js'
import { Kept } from './keep.js'
import { keepDecorators } from './kept-decorators.js'
import { reportFiles } from './report-files.js'
import { isAskedToReport, reportRequests } from './report-requests.js'
import { Servers } from './servers.js'
import { watchFolders } from './watch-folders.js'

function connect(): void {
  keepDecorators()
  // Programs that the application starts shall not take themselves for the application.
  delete process.env[PARENT_VARIABLE]
  const channel = new Channel((message, socket) => {
    if (message.kind === 'connection' && socket !== undefined) servers.accept(message.id, socket)
    else receive(message)
  })
  const files = new Set<string>()
  const reportRest = reportFiles(channel, files)
  // The command watches these files also if an import ends the process.
  process.on('exit', reportRest)
  const report = new BootReport(channel, () => {
    reportRest()
    return [...files]
  })
  const servers = new Servers(channel, () => report.end())
  const kept = new Kept(channel)
  const receive = (message: ParentMessage) => {
    if (message.kind === 'door') servers.open(message.id, message.address)
    else if (message.kind === 'no-door') servers.refuse(message.id, message.error)
    else if (message.kind === 'kept') kept.receive(message.id, message.result)
    else if (message.kind === 'retire') void servers.settle().then(end)
    else if (message.kind === 'close-inspector') void closeInspector(channel)
  }
  watchFolders(channel)
  if (isAskedToReport()) reportRequests(channel)
}

/** As for SIGTERM, which Windows does not have. */
function end(): void {
  if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(0)
}

/** The next process needs its port. */
async function closeInspector(channel: Channel): Promise<void> {
  const inspector = await import('node:inspector')
  inspector.close()
  channel.send({ kind: 'inspector-closed' })
}

if (isStartedByCommand()) connect()
