import { statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { inspect } from 'node:util'
import { type Command as AnyCommand, CommanderError, Help } from 'commander'
import { ANALYSIS_NAMES, CHOICES, type ChoiceName, ownParameters } from '../engine/analysis/analysis-kinds.ts'
import { ServiceError } from '../engine/model/errors.ts'
import { EXPORT_NAMES } from '../engine/model/export-names.ts'
import { FORMAT_NAMES } from '../engine/model/format-names.ts'
import { LINK_DAYS } from '../engine/model/link-days.ts'
import {
  CHOICE_PARAMETERS,
  type ChoiceParameter,
  EXTRAS_MEANING,
  LOOK_NAMES,
  NUMBER_PARAMETERS,
  WINDOW_PARAMETERS,
} from '../engine/model/parameters.ts'
import { redact, secretsOf } from '../engine/model/secrets.ts'
import { givenSetting } from '../engine/model/setting-names.ts'
import { readConfig, SETTINGS } from '../engine/model/settings.ts'
import { isCode, isDiskFull } from '../engine/model/system-errors.ts'
import { TOKEN_ROLES } from '../engine/model/token-roles.ts'
import { VERSION } from '../engine/model/version.ts'
import { METHODS_FORMAT_NAMES } from '../engine/products/methods/print-methods.ts'
import type { Part } from '../engine/run/parts/part-file.ts'
import { checkDataFormat } from '../engine/storage/files/data-format.ts'
import { EVENT_TYPES } from '../engine/webhooks/webhook.ts'
import { PRODUCT_NAMES } from './commands/products.ts'
import type { ParameterOptions } from './given/export-options.ts'
import { flagOf } from './given/flag-of.ts'
import {
  Argument,
  adding,
  Command,
  type CommandOf,
  type Fits,
  InvalidArgumentError,
  Option,
  untyped,
} from './given/typed-commander.ts'
import { argumentText, commandTable } from './manual/command-table.ts'
import { SHELLS } from './manual/shells.ts'
import { refusalOf } from './terminal/file-refusals.ts'
import { printable } from './terminal/printable.ts'
import { problemTexts } from './terminal/problem-texts.ts'
import { asCalled, PROGRAM } from './terminal/program-name.ts'
import { COMMAND_CANCELED, setEndAtOnce, stoppable } from './terminal/stoppable.ts'

/** Exit codes, as docs/reference.md lists them. */
const DONE = 0
const FAILED = 1
const WRONG_USAGE = 2

/** Returns the command line. Commands are loaded when they are called, so `gazette --help` needs no database. */
export function program(): AnyCommand {
  const gazette = helpful()
  const command = commandsOf(gazette)

  processCommands(command)
  studyCommands(command)
  exportCommands(command)
  statisticsCommands(command)
  dataCommands(command)
  analysesCommands(gazette)
  tokenCommands(gazette)
  webhookCommands(gazette)
  upkeepCommands(command)
  settingsCommand(gazette)
  manualCommands(gazette)
  return untyped(gazette)
}

/** Adds the commands that list and copy what the data directory holds. */
function dataCommands(command: MakeCommand): void {
  command('studies', 'list the studies by name')
    .option('--all', 'list archived studies too')
    .option('--project <name>', 'only the studies of this project')
    .addOption(jsonOption())
    .action(async (options) => run((await import('./commands/studies.ts')).studies, options))
  command('copy', 'copy studies and jobs to an object store, or back')
    .option('--to <url>', 'object store to copy to, such as s3://bucket/prefix')
    .option('--from <url>', 'object store to copy from')
    .option('--replace', 'replace studies that differ on the other side')
    .action(async (options) => run((await import('./commands/copy.ts')).copy, options))
}

/** Adds the commands that fill a data directory with a demo, and verify it. */
function upkeepCommands(command: MakeCommand): void {
  command('demo', 'create a synthetic study and import it')
    .option('--participants <n>', 'participants', wholeNumber(1, 100_000), 24)
    .option('--items <n>', 'items; eight pictures, which then repeat', wholeNumber(1, 1000), 6)
    .option('--seconds <n>', 'duration of each item', wholeNumber(1, 3600), 8)
    .option('--hz <n>', 'samples per second', wholeNumber(5, 2000), 30)
    .option('--seed <n>', 'seed of random numbers; the same seed gives the same study', wholeNumber(0, 2 ** 31 - 1), 1)
    .option('--project <name>', 'project of the study')
    .addOption(jsonOption())
    .action(async (options) => run((await import('./commands/demo.ts')).demo, options))
  command('check', 'verify the checksums of all files')
    .option('--repair', 'remove damaged files of jobs, imports and uploads; requests compute jobs again')
    .addOption(jsonOption())
    .action(async (options) => run((await import('./commands/check.ts')).check, options))
}

function settingsCommand(gazette: CommandOf): void {
  gazette
    .command('settings')
    .description('list the settings; with names, explain them')
    .addArgument(
      known(
        '[names...]',
        SETTINGS.map(({ name }) => name),
      ),
    )
    .addOption(jsonOption())
    .action(async (names, options) => (await import('./commands/settings.ts')).listSettings({ ...options, names }))
}

/** Adds the commands about the commands, which the list of commands leaves to its last line. */
function manualCommands(gazette: CommandOf): void {
  const isHidden = { hidden: true }
  gazette
    .command('help', isHidden)
    .description('print the help of a command')
    .addArgument(
      known(
        '[command...]',
        gazette.commands.map((command) => command.name()),
      ),
    )
    .action(async (names) => (await import('./commands/help.ts')).help(untyped(gazette), names))
  gazette
    .command('version', isHidden)
    .description('print the version')
    .action(() => console.log(VERSION))
  gazette
    .command('completion', isHidden)
    .description('print a script that completes commands in a shell')
    .addArgument(new Argument('<shell>', 'shell that will run it').choices(SHELLS))
    .addHelpText('after', COMPLETION_ADVICE)
    .action(async (shell) => {
      process.stdout.write((await import('./manual/completion.ts')).completionOf(shell, commandTable(untyped(gazette))))
    })
}

const COMPLETION_ADVICE = `
For the command gazette on the PATH:
  bash  gazette completion bash > ~/.local/share/bash-completion/completions/gazette
  zsh   gazette completion zsh > DIR/_gazette, a DIR of $fpath
  fish  gazette completion fish > ~/.config/fish/completions/gazette.fish`

/** Returns an argument whose possible values are known to completion; the command checks them itself. */
function known<const Usage extends string>(usage: Usage, values: readonly string[]) {
  return Object.assign(new Argument(usage), { argChoices: [...values] })
}

function projectOption() {
  return new Option('--project <name>', 'project of the study, in place of one that its bundle names')
}

function jsonOption() {
  return new Option('--json', 'print JSON, as docs/command-line.schema.json describes it')
}

/** Returns a function that adds a command to another one, with the option `--data`. */
function commandsOf(parent: CommandOf) {
  const { text } = givenSetting(process.env, 'DATA_DIR')
  const data = new Option('--data <dir>', 'directory of studies, exports and tokens').default(text || './data')
  return <const Usage extends string>(usage: Usage, about: string) =>
    parent.command(usage).description(about).addOption(data)
}

type MakeCommand = ReturnType<typeof commandsOf>

/**
 * Runs a command with its options, its arguments and the settings. What the command does not read is refused by the
 * compiler, such as an option by another name.
 */
function run<Known, Given extends { data: string }>(
  command: (options: Known) => Promise<void>,
  given: Given & Fits<Known, Given>,
  config = settings(given.data),
): Promise<void> {
  const { data: _, ...options } = given
  return command({ ...options, config } as Known)
}

/**
 * Runs a command that looks for something in the data directory, such as a study, as `run` does.
 *
 * @throws ServiceError not_found, which names the directory if there is none; what the command throws
 */
async function runInside<Known, Given extends { data: string }>(
  command: (options: Known) => Promise<void>,
  given: Given & Fits<Known, Given>,
): Promise<void> {
  const config = settings(given.data)
  const { dataDir, storeUrl } = config
  const isMissing = storeUrl === '' && isDirectory(dataDir) === null
  try {
    await run(command, given, config)
  } catch (error) {
    if (isMissing && error instanceof ServiceError && error.code === 'not_found')
      throw new ServiceError('not_found', `there is no directory ${dataDir}: name that of the studies by --data`)
    throw error
  }
}

/** Returns a command line without commands, whose help has one line for each. */
function helpful(): CommandOf {
  const gazette = new Command(PROGRAM).helpCommand(false).version(VERSION)
  untyped(gazette)
    .configureHelp({
      minWidthToWrap: 20,
      // One line for each command; its own help describes its options.
      subcommandTerm: (inner) => `${inner.name()} ${inner.registeredArguments.map(argumentText).join(' ')}`.trim(),
      visibleOptions: (inner) => (inner.parent === null ? [] : new Help().visibleOptions(inner)),
      // Commands come right below the usage, so that all of it fits a terminal of 24 lines.
      formatHelp: (inner, helper) => {
        const text = new Help().formatHelp.call(helper, inner, helper)
        return inner.parent === null ? text.replace('[command]\n\nCommands:', 'COMMAND, which is one of') : text
      },
    })
    .addHelpText('after', 'help COMMAND lists its options. Exit codes: 0 done, 1 failed, 2 wrong usage.')
  return gazette
}

/** Adds the required option `--study`. A misspelt option is reported before a missing one. */
const needStudy = adding((command) => {
  const needing = command
    .option('--study <study>', 'the study, by id or name')
    .hook('preAction', (called) => requireOne(called, '--study <study>'))
  return needing as unknown as CommandOf<[], { study: string }>
})

/** Refuses a command without any of these options. */
function requireOne(called: Pick<AnyCommand, 'options' | 'getOptionValue' | 'error'>, ...flags: string[]): void {
  const isGiven = called.options.some(
    (option) => flags.includes(option.flags) && called.getOptionValue(option.attributeName()) !== undefined,
  )
  if (!isGiven) called.error(`error: required option ${flags.map((each) => `'${each}'`).join(' or ')} not specified`)
}

/** Parses an option that may be given several times: collects its texts. */
function addText(text: string, before: string[] | undefined): string[] {
  return [...(before ?? []), text]
}

/** Adds the options that name one study or several, one of which is required. */
const needStudies = adding((command) => {
  const needing = command
    .addOption(
      new Option('--study <study>', 'the study, by id or name; several if given several times').argParser(addText),
    )
    .option('--project <name>', 'all studies of this project, in the order of their names, as one')
    .option(
      '--despite <differences>',
      'join studies that differ in these: screens, rates, pupils, items, aois, settings; separated by commas',
    )
    .hook('preAction', (called) => requireOne(called, '--project <name>', '--study <study>'))
  return needing as unknown as CommandOf<[], { study?: string[]; project?: string; despite?: string }>
})

/** Adds the commands that run servers and workers. */
function processCommands(command: MakeCommand): void {
  command('start', 'run server, worker and queue in one process').action(async (options) =>
    (await import('./commands/start.ts')).start(settings(options.data)),
  )
  command('serve', 'run a server; needs QUEUE_URL').action(async (options) =>
    (await import('./commands/serve.ts')).serve(settings(options.data)),
  )
  command('work', 'run a worker; needs QUEUE_URL').action(async (options) =>
    (await import('./commands/work.ts')).work(settings(options.data)),
  )
}

/** Adds the commands that import and export studies. */
function studyCommands(command: MakeCommand): void {
  foreignOptions(command('import <paths...>', 'check a bundle or recordings and publish the study'))
    .option('--append', 'add participants and tests to the existing study')
    .option('--replace', 'replace the study with these recordings; a bundle always replaces its study')
    .addOption(projectOption())
    .option('--force', 'publish even if no test has a sample with gaze')
    .option('--dry-run', 'check only, publish nothing')
    .addOption(jsonOption())
    .action(async (paths, options) => run((await import('./commands/import.ts')).importStudy, { ...options, paths }))
  foreignOptions(
    command('watch <dir>', 'import everything that is put into a folder').addHelpText(
      'after',
      '\nRuns until you stop it. Moves each entry to done or refused, with a report.',
    ),
  )
    .option('--append', 'add to the existing study')
    .option('--replace', 'replace the existing study')
    .addOption(projectOption())
    .option('--force', 'publish even if no test has a sample with gaze')
    .option(
      '--settle <seconds>',
      'seconds without a change after which an entry counts as complete',
      wholeNumber(0, 3600),
      10,
    )
    .action(async (directory, options) => run((await import('./commands/watch.ts')).watch, { ...options, directory }))
  foreignOptions(command('convert <paths...>', 'convert recordings to a study bundle'))
    .option('-o, --output <dir>', 'folder for the bundle, new or empty')
    .option('--guess', 'print a mapping for a table of samples, guessed from its header and rows')
    .action(async (paths, options) =>
      run((await import('./commands/convert.ts')).convertCommand, { ...options, paths }),
    )
  needStudy(command('describe', 'print or change name, project and description of a study'))
    .option('--name <name>', 'new name')
    .option(
      '--about <file>',
      'JSON of its description, keywords, authors and licence, as `about` of study.json; - for standard input',
    )
    .option('--boxes <file>', 'CSV with the boxes of words, which become the AOIs of their items (docs/reading.md)')
    .option('--project <name>', 'put it into this project, or move it there')
    .option('--no-project', 'take it out of its project')
    .option('--archive', 'hide it from lists')
    .option('--no-archive', 'show it in lists again')
    .action(async (options) => runInside((await import('./commands/describe.ts')).describeStudy, options))
  needStudy(command('remove', 'delete a study, or one of its participants'))
    .option('--participant <id>', 'only this participant, by id or external id')
    .option('--yes', 'do not ask for confirmation')
    .option('--dry-run', 'list what would be deleted, delete nothing')
    .action(async (options) => runInside((await import('./commands/remove.ts')).removeFromStudy, options))
}

/** Adds the commands that compute exports. */
function exportCommands(command: MakeCommand): void {
  parameterOptions(
    exportOptions(
      needStudies(
        command('export', 'compute an export, a BIDS dataset or a package')
          .addArgument(known('<name>', [...EXPORT_NAMES, ...PRODUCT_NAMES]))
          .addHelpText(
            'after',
            `\nNames: ${[...EXPORT_NAMES, ...PRODUCT_NAMES].join(', ')}`.replace(/(.{60,78}) /g, '$1\n'),
          ),
      ),
    ),
  ).action(async (name, options) => runInside((await import('./commands/export.ts')).exportTable, { ...options, name }))
  sqlCommand(command)
  command('compose <parts...>', 'join the parts of an export (docs/scaling.md)')
    .option('-o, --output <file>', 'file or s3://bucket/name to write; default: standard output')
    .option('--force', 'replace the file that -o names')
    .action(async (parts, options) => run((await import('./commands/compose.ts')).compose, { ...options, parts }))
}

/** Adds the commands that print the methods section and statistics of a study. */
function statisticsCommands(command: MakeCommand): void {
  parameterOptions(
    needStudy(command('methods', 'write the methods section of a study')).addOption(
      new Option('--format <name>', 'format of the text').choices(METHODS_FORMAT_NAMES).default('text'),
    ),
  ).action(async (options) => runInside((await import('./commands/methods.ts')).methods, options))
  parameterOptions(
    needStudy(command('analyse', 'compute statistics of groups, AOIs, quality or pupils'))
      .addArgument(new Argument('<what>', 'what to compute').choices(ANALYSIS_NAMES))
      .option('--aoi <aoi...>', `${heeding('aoi')}: AOI by id or unique name; give two to eight`)
      .addOption(
        new Option('--format <name>', 'format of the numbers').choices(['json', ...FORMAT_NAMES]).default('json'),
      )
      .option(
        '--group <condition...>',
        `${heeding('group')}: condition of a group, as in --filter; up to four, of clusters two`,
      )
      .option(
        '--event <name>',
        `${heeding('event')}: name of the events that time is measured from; without it, item onset`,
      )
      .addOption(choiceOf('measure'))
      .addOption(choiceOf('test'))
      .addOption(choiceOf('signal'))
      .addOption(choiceOf('design'))
      .addOption(choiceOf('nested')),
  ).action(async (what, options, called) => {
    const { analyse, refuseUnheeded } = await import('./commands/analyse.ts')
    const names = called.options.map((option) => option.attributeName())
    refuseUnheeded(
      what,
      names.filter((name) => called.getOptionValueSource(name) === 'cli'),
    )
    await runInside(analyse, { ...options, what })
  })
}

/** Returns the names of the analyses that heed a parameter. */
function heeding(parameter: string): string {
  return ANALYSIS_NAMES.filter((name) => ownParameters(name).includes(parameter)).join(', ')
}

/** Returns the option of a choice of analyses. */
function choiceOf<const Name extends ChoiceName>(name: Name) {
  const { meaning, values } = CHOICES[name]
  const about = meaning.charAt(0).toLowerCase() + meaning.slice(1)
  const known: readonly (typeof CHOICES)[Name]['values'][number][] = values
  return new Option(`--${name} <name>`, `${heeding(name)}: ${about}`).choices(known).default(known[0])
}

const foreignOptions = adding((command) =>
  command
    .option('--format <name>', 'format of the files, instead of recognizing it by their content (docs/formats.md)')
    .option('--mapping <file>', 'mapping of the columns of a table of samples; convert --guess prints one')
    .option('--screen <size>', 'size of the screen, WIDTHxHEIGHT in px, if the files lack it')
    .option('--screens <file>', 'the same for each participant: CSV with the columns participant, width, height')
    .option(
      '--trial-message <pattern>',
      'EyeLink: regular expression of the message that begins a trial; its first group is the name',
    )
    .option('--end-message <pattern>', 'EyeLink: regular expression of the message that ends a trial')
    .option(
      '--item-message <pattern>',
      'EyeLink: regular expression of the message that names the item, by its first group',
    )
    .option('--onset-message <pattern>', 'EyeLink: regular expression of the message sent when the item appeared')
    .option('--event-message <pattern>', 'regular expression of messages to keep as events; groups: name, value')
    .option('--path <pattern>', "names in the paths of files: 'participant{participant}/{trial}.txt'; item, session")
    .option('--join-names', 'take names that differ only in case, leading zeros or folder as one')
    .option('--aois', 'Gorilla: turn zones into AOIs')
    .option('--tags <columns>', 'columns, separated by commas, whose values become tags, such as a condition')
    .option('--external-data <columns>', 'columns, separated by commas, to keep as external_data_… of participants')
    .option('--name <text>', 'name of the study; default: name of the folder or file')
    .option('--study <id>', 'id of the study, a UUID; default: derived from the recordings'),
)

const exportOptions = adding((command) =>
  command
    .option(
      '-o, --output <file>',
      'file or s3://bucket/name to write (default: standard output); bids: new folder; package: new folder or .zip',
    )
    .option('--force', 'replace the file that -o names')
    .addOption(
      new Option('--format <name>', 'format of the table; default: that of the ending of -o, else csv').choices(
        FORMAT_NAMES,
      ),
    )
    .option('--spss <file>', 'also write SPSS syntax that reads the CSV')
    .option('--part <k/n>', 'only part k of n, to compose later (docs/scaling.md)', partOf)
    .option('--exports <names>', 'package: names of tables, separated by commas; default: all with rows')
    .option('--screen-distance <m>', 'bids: distance between participants and screen, in metres')
    .option('--screen-size <m>', 'bids: size of the screens, WIDTHxHEIGHT in metres'),
)

const SQL_EXAMPLES = `
Examples:
  gazette sql --study 'Demo study, seed 1' 'SHOW TABLES'
  gazette sql --study 'Demo study, seed 1' 'DESCRIBE fixations'
  gazette sql --study 'Demo study, seed 1' 'SELECT item_filename, count(*) AS fixations FROM fixations GROUP BY ALL'
  gazette sql --study 'Demo study, seed 1' --file query.sql --format parquet -o result.parquet
  gazette sql --project Replication 'SELECT study_id, count(*) AS fixations FROM fixations GROUP BY ALL'
More: docs/sql.md`

function sqlCommand(command: MakeCommand): void {
  const reads = needStudies(command('sql [query]', 'run an SQL query over a study and its exports'))
    .option('--file <file>', 'file with the query; default: standard input')
    .addOption(
      new Option(
        '--format <name>',
        'format of the result; default: that of the ending of -o; table on a terminal, else csv',
      ).choices(['table', ...FORMAT_NAMES]),
    )
    .option('-o, --output <file>', 'file or s3://bucket/name to write; default: standard output')
    .option('--force', 'replace the file that -o names')
    .option('--timeout <seconds>', 'time limit of the query', wholeNumber(1, 1_000_000), 600)
    .addHelpText('after', asCalled(SQL_EXAMPLES))
  parameterOptions(reads).action(async (query, options) =>
    runInside((await import('./commands/sql.ts')).sql, { ...options, query }),
  )
}

/** Adds the parameters of exports, which commands read by their names. */
const parameterOptions = adding((command) => {
  command
    .option('--item <item>', 'only this item, by file name or id')
    .addOption(new Option('--item-id <id>', 'the same, by id alone').hideHelp())
    .option('--filter <condition>', 'only tests for which this is true (docs/filter.md)')
    .option('--analysis <name>', 'settings, filter, ignored participants and offsets of an analysis of the study')
  for (const [name, meaning] of Object.entries(WINDOW_PARAMETERS)) command.option(`${flagOf(name)} <ms>`, meaning)
  // No default, which would take precedence over that of an analysis.
  const choice = (usage: string, name: ChoiceParameter) => {
    const { values, meaning } = CHOICE_PARAMETERS[name]
    command.addOption(new Option(usage, `${meaning} (default: ${values[0]})`).choices(values))
  }
  choice('--preset <name>', 'preset')
  choice('--detector <name>', 'detector')
  choice('--eye <eye>', 'eye')
  command.option('--reading-from <start>', CHOICE_PARAMETERS.readingFrom.meaning)
  choice('--lines <algorithm>', 'lines')
  command.option('--extras <kinds>', EXTRAS_MEANING)
  command.option('--event-type <name>', LOOK_NAMES.eventType)
  command.option('--aoi-names <names>', LOOK_NAMES.aoiNames)
  choice('--denominator <times>', 'denominator')
  for (const [name, { kind, unit, default: value, min, max, meaning }] of Object.entries(NUMBER_PARAMETERS)) {
    command.option(`${flagOf(name)} <${kind}>`, `${meaning}: ${min} to ${max} ${unit} (default: ${value})`)
  }
  return command as unknown as CommandOf<[], ParameterOptions>
})

function analysesCommands(gazette: CommandOf): void {
  const analyses = gazette.command('analyses').description('list, store and delete analyses of a study')
  const ofAny = commandsOf(analyses)
  const command = <const Usage extends string>(usage: Usage, about: string) => needStudy(ofAny(usage, about))
  const module = () => import('./commands/analyses.ts')
  command('list', 'list the analyses of a study').action(async (options) =>
    runInside((await module()).listCommand, options),
  )
  command('show <name>', 'print an analysis as JSON, by name or name@version').action(async (name, options) =>
    runInside((await module()).showCommand, { ...options, name }),
  )
  command('put <name> <file>', 'store an analysis: JSON as printed by show; - reads standard input').action(
    async (name, file, options) =>
      stoppable(async () => runInside((await module()).putCommand, { ...options, name, file })),
  )
  command('delete <name>', 'delete an analysis with all of its versions').action(async (name, options) =>
    stoppable(async () => runInside((await module()).removeCommand, { ...options, name })),
  )
}

function tokenCommands(gazette: CommandOf): void {
  const token = gazette.command('token').description('create, list and revoke access tokens; make links')
  const command = commandsOf(token)
  command('create', 'create a token and show it once')
    .option('--name <text>', 'purpose of the token', '')
    .addOption(new Option('--role <role>', 'rights of the token').choices(TOKEN_ROLES).default('read'))
    .option('--study <study...>', 'only these studies, by id or name; default: all')
    .option('--project <name...>', 'only the studies of these projects, also future ones')
    .option('--expires <time>', 'expiry: an RFC 3339 time, or a number of days such as 30d')
    .action(async (options) =>
      // Not interrupted: it takes a moment and is atomic.
      stoppable(async () => runInside((await import('./commands/token.ts')).createToken, options)),
    )
  command('link <address>', 'create a link to a page or an export for people without an account, and show it once')
    .option('--whole', 'show the whole study, not only that page')
    .option('--name <text>', 'purpose of the link', '')
    .option('--days <n>', 'days until the link expires', wholeNumber(LINK_DAYS.min, LINK_DAYS.max), LINK_DAYS.default)
    .option('--downloads', 'allow downloads of exports of what the link shows')
    .action(async (address, options) =>
      stoppable(async () => runInside((await import('./commands/link.ts')).createLink, { ...options, address })),
    )
  command('list', 'list tokens, without their secrets')
    .addOption(jsonOption())
    .action(async (options) => run((await import('./commands/token.ts')).listTokens, options))
  command('revoke <id>', 'revoke a token; takes effect within a second').action(async (id, options) =>
    stoppable(async () => runInside((await import('./commands/token.ts')).revokeToken, { ...options, id })),
  )
}

function webhookCommands(gazette: CommandOf): void {
  const webhook = gazette.command('webhook').description('manage webhooks')
  const command = commandsOf(webhook)
  const module = () => import('./commands/webhook.ts')
  command('create <url>', 'create a webhook and show its secret once')
    .option('--name <text>', 'purpose of the webhook', '')
    .addOption(new Option('--event <event...>', 'only these events; default: all').choices(EVENT_TYPES))
    .option('--study <study...>', 'only these studies, by id or name; default: all')
    .action(async (url, options) => stoppable(async () => runInside((await module()).createHook, { ...options, url })))
  command('list', 'list webhooks, without their secrets')
    .addOption(jsonOption())
    .action(async (options) => run((await module()).listHooks, options))
  command('ping <id>', 'send one test message').action(async (id, options) =>
    runInside((await module()).pingHook, { ...options, id }),
  )
  command('log <id>', 'list the last deliveries')
    .option('--limit <n>', 'number of tries to list', wholeNumber(1, 10_000), 20)
    .action(async (id, options) => runInside((await module()).logHook, { ...options, id }))
  command('rotate <id>', 'create a new secret and show it once').action(async (id, options) =>
    stoppable(async () => runInside((await module()).rotateHook, { ...options, id })),
  )
  command('enable <id>', 'enable a webhook again').action(async (id, options) =>
    runInside((await module()).enableHook, { ...options, id }),
  )
  command('remove <id>', 'remove a webhook and its undelivered messages').action(async (id, options) =>
    runInside((await module()).removeHook, { ...options, id }),
  )
}

/**
 * Reads the settings from the environment, with `--data` in place of GAZETTE_DATA_DIR.
 *
 * @throws ServiceError invalid_setting, also where DATA_DIR is a file; other_format, corrupt
 */
function settings(data: string) {
  const config = readConfig({ ...process.env, GAZETTE_DATA_DIR: data })
  if (isDirectory(config.dataDir) === false)
    throw new ServiceError('invalid_setting', `--data, or DATA_DIR, must be a directory: ${config.dataDir} is a file`)
  checkDataFormat(config.dataDir)
  return config
}

/** Returns whether a path is a directory; null if it does not exist. @throws other errors of the system */
function isDirectory(path: string): boolean | null {
  try {
    return statSync(path).isDirectory()
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null
    throw error
  }
}

const PARTS_MAX = 10_000

/** Parses a part, such as 3/40. */
function partOf(text: string): Part {
  const [number, of] = /^\d{1,5}\/\d{1,5}$/.test(text) ? text.split('/').map(Number) : []
  if (number >= 1 && number <= of && of <= PARTS_MAX) return { number, of }
  throw new InvalidArgumentError(`It must be k/n, such as 3/40: part k of n, n at most ${PARTS_MAX}.`)
}

function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
  }
}

/**
 * Runs one command and sets the exit code. An error is one sentence on standard error; a bug keeps its stack.
 *
 * @param endAtOnce handles Ctrl-C and SIGTERM until a command does
 */
export async function main(argv: string[], endAtOnce = () => {}): Promise<void> {
  setEndAtOnce(endAtOnce)
  process.stdout.on('error', endOfOutput)
  // A signal that came during loading is handled before the command begins: Node 24 loads without listening for
  // signals.
  await setImmediate()
  try {
    const gazette = program()
    inOneSentence(gazette, PROGRAM)
    refuseSlips(gazette)
    await gazette.parseAsync(argv)
  } catch (error) {
    process.exitCode = exitCode(error)
  }
}

/** Ends the process when standard output fails: quietly if its reader closed the pipe (`| head`). */
function endOfOutput(error: Error): never {
  if (isCode(error, 'EPIPE')) process.exit(DONE)
  const reason = isDiskFull(error) ? 'the disk is full' : error.message
  console.error(`gazette: standard output cannot be written: ${reason}`)
  process.exit(FAILED)
}

/** Reports wrong usage of a command on one line that points to the help. */
function inOneSentence(command: AnyCommand, path: string): void {
  command.exitOverride().configureOutput({
    outputError: (text, write) => {
      const [sentence, hint] = text.trim().split('\n')
      write(`gazette: ${sentence.replace(/^error: /, '')}${hint ? ` ${hint}` : ''} (see ${path} --help)\n`)
    },
  })
  for (const inner of command.commands) inOneSentence(inner, `${path} ${inner.name()}`)
}

/**
 * Refuses an option that is given twice with different values, and an option or argument without a text, which is
 * usually an unset variable of a script.
 */
function refuseSlips(gazette: AnyCommand): void {
  for (const command of everyCommand(gazette)) {
    const given = new Map<string, string>()
    for (const option of command.options)
      command.on(`option:${option.name()}`, (text?: string) => {
        if (text === '') command.error(`error: ${option.long} must not be empty`)
        const now = text === undefined ? String(option.long) : `${option.long} ${JSON.stringify(text)}`
        const before = given.get(option.attributeName()) ?? now
        const isCollected = option.variadic || (option.parseArg as unknown) === addText
        if (before !== now && !isCollected)
          command.error(`error: ${option.long} must be given once, got ${before} and ${now}`)
        given.set(option.attributeName(), now)
      })
  }
  gazette.hook('preAction', (_, called) => {
    const empty = called.args.indexOf('')
    const argument = called.registeredArguments.at(Math.min(empty, called.registeredArguments.length - 1))
    if (empty >= 0 && argument) called.error(`error: ${argumentText(argument)} must not be empty`)
  })
}

function everyCommand(command: AnyCommand): AnyCommand[] {
  return [command, ...command.commands.flatMap(everyCommand)]
}

function exitCode(thrown: unknown): number {
  const { path: refused } = thrown as NodeJS.ErrnoException
  const error = (refused && refusalOf(thrown, refused, 'used')) || thrown
  // Commander has already printed these.
  if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : WRONG_USAGE
  if (error instanceof ServiceError) {
    for (const text of problemTexts(error)) console.error(printable(asCalled(text)))
    console.error(printable(`gazette: ${asCalled(error.message)}`))
    return error.code === 'usage' || error.code === 'invalid_param' || error.code === 'invalid_setting'
      ? WRONG_USAGE
      : FAILED
  }
  if (isDiskFull(error)) console.error('gazette: the disk is full')
  // Of a pipeline that was stopped, or of Ctrl-C at a question.
  else if (isCode(error, 'ABORT_ERR')) console.error(`gazette: ${COMMAND_CANCELED}`)
  else if (isCode(error, 'EMFILE', 'ENFILE'))
    console.error('gazette: the process may open too few files: at least 256 are needed (ulimit -n)')
  else console.error(redact(inspect(error), secretsOf(givenSetting(process.env, 'QUEUE_URL').text)))
  return FAILED
}
