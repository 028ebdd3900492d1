import { type Command, InvalidArgumentError } from 'commander'

/** Adds the options that name the roles of tenants. */
export function withRoles(command: Command): Command {
  return command
    .option(
      '--tenant-role <role>',
      'the role of statements that run for a tenant (default: app_tenant)',
    )
    .option(
      '--all-tenants-role <role>',
      'the role of statements in withoutTenant (default: app_all_tenants)',
    )
    .allowExcessArguments(false)
}

/**
 * Reads the argument of an option that takes seconds.
 *
 * @param zero `0` if zero is allowed, too.
 */
export function toSeconds(max: number, zero?: 0): (text: string) => number {
  return (text) => {
    const seconds = text.trim() === '' ? Number.NaN : Number(text)
    if (seconds === zero || (seconds > 0 && seconds <= max)) return seconds
    throw new InvalidArgumentError(`Specify seconds, up to ${max}.`)
  }
}
