import type { WrittenCapsule } from '../../../app/dev/dev-report.js'
import { projectCommand } from '../../project-command.js'
import { DEFAULT_FOLDER } from '../../replay/capsule-files.js'

/** The command that runs a failed request again. */
export function replayCommand({ id, folder }: WrittenCapsule): string {
  const place = folder === DEFAULT_FOLDER ? [] : ['--folder', folder]
  return projectCommand(['replay', id, ...place])
}
