/** Whether tests that need links, signals or executable scripts are skipped. */
export const isWindows = process.platform === 'win32'
if (isWindows)
  console.warn(
    'Skipped: Windows has no links without a permission, no signals, and no scripts with #!.',
  )

/** Whether tests that list the open files of their process are skipped. */
export const hasNoProc = process.platform !== 'linux'
if (hasNoProc) console.warn('Skipped: only Linux lists the open files of a process in /proc.')
