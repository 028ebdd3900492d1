import type { ChildProcess } from 'node:child_process'

/**
 * Kills a process that was started with `detached`, and all programs that it has started. Windows has no groups: there, only
 * the process.
 */
export function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  if (process.platform === 'win32') return void child.kill('SIGKILL')
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // Nothing of the group is left.
  }
}
