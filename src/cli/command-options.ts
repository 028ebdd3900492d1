import { type Command, InvalidArgumentError } from 'commander'

/** Adds the options that specify the tenant roles. */
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
 * Creates the function that reads an option's argument in seconds.
 *
 * @param zero `0` if zero is also allowed.
 */
export function toSeconds(max: number, zero?: 0): (text: string) => number {
  return (text) => {
    const seconds = text.trim() === '' ? Number.NaN : Number(text)
    if (seconds === zero || (seconds > 0 && seconds <= max)) return seconds
    throw new InvalidArgumentError(`Specify a number of seconds, up to ${max}.`)
  }
}
