import { isIP } from 'node:net'
import { didYouMean, nearest } from './nearest.ts'

type Environment = Record<string, string | undefined>

const PREFIX = 'GAZETTE_'
/** Variables that the clients of Python, R and JavaScript read. */
const OF_CLIENTS = ['GAZETTE_URL', 'GAZETTE_TOKEN', 'GAZETTE_CACHE']
/** Variables that Kubernetes and Docker set for a service named `gazette`, or `gazette-server`. */
const OF_SERVICES = /_(SERVICE_(HOST|PORT)(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?)$/
const ADDRESS_OF_SERVICE = /^(tcp|udp|sctp):\/\//

/** Returns the variable that gives a setting and its text: the one with the prefix, else the short one; '' if none. */
export function givenSetting(env: Environment, name: string): { variable: string; text: string } {
  const variable = `${PREFIX}${name}`
  if (isSet(env[variable]) && !isOfService(variable, env)) return { variable, text: env[variable] as string }
  const text = env[name] ?? ''
  // Compilers of conda and csh set HOST to a name, which is no address of ours.
  return { variable: name, text: name === 'HOST' && isIP(text) === 0 && text !== 'localhost' ? '' : text }
}

/** Returns a sentence for each variable with the prefix that is no setting, and what may have been meant. */
export function unknownSettings(env: Environment, known: readonly string[]): string[] {
  return Object.keys(env)
    .filter((variable) => variable.startsWith(PREFIX) && isSet(env[variable]))
    .filter((variable) => !known.includes(variable.slice(PREFIX.length)))
    .filter((variable) => !OF_CLIENTS.includes(variable) && !isOfService(variable, env))
    .map((variable) => {
      const near = nearest(variable.slice(PREFIX.length), known).nearest
      return `there is no setting ${variable}${didYouMean(near && PREFIX + near)}`
    })
}

function isSet(text: string | undefined): boolean {
  return text !== undefined && text !== ''
}

function isOfService(variable: string, env: Environment): boolean {
  return OF_SERVICES.test(variable) || (variable.endsWith('_PORT') && ADDRESS_OF_SERVICE.test(env[variable] ?? ''))
}
