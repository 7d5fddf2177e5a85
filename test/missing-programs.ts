import { spawnSync } from 'node:child_process'

/** Programs besides Node that tests need, how each shows that it is there, and how Debian has it. */
const PROGRAMS = [
  { name: 'Chromium', runs: ['chromium', '--version'], packages: 'chromium' },
  { name: 'Firefox', runs: ['firefox-esr', '--version'], packages: 'firefox-esr' },
  { name: 'Redis', runs: ['redis-server', '--version'], packages: 'redis-server' },
  { name: 'PostgreSQL', runs: ['postgres', '--version'], packages: 'postgresql' },
  { name: 'curl', runs: ['curl', '--version'], packages: 'curl' },
  {
    name: 'Python with pandas',
    runs: ['sh', '-c', 'python3 -c "import pandas" || /usr/bin/python3 -c "import pandas"'],
    packages: 'python3-pandas python3-openpyxl',
  },
  {
    name: 'R with curl, jsonlite and openssl',
    runs: ['Rscript', '-e', 'library(curl); library(jsonlite); library(openssl)'],
    packages: 'r-base-core r-cran-curl r-cran-jsonlite r-cran-openssl',
  },
  { name: 'LibreOffice', runs: ['soffice', '--version'], packages: 'libreoffice-calc' },
  {
    name: 'LibreOffice Writer and Impress',
    runs: ['sh', '-c', 'lowriter --version && loimpress --version'],
    packages: 'libreoffice-writer libreoffice-impress',
  },
  { name: 'R with readxl', runs: ['Rscript', '-e', 'library(readxl)'], packages: 'r-cran-readxl' },
  { name: "Ceph's gateway", runs: ['radosgw', '--version'], packages: 'radosgw ceph-mon ceph-osd ceph-mgr' },
  { name: 'promtool', runs: ['promtool', '--version'], packages: 'prometheus' },
]

/** Finds the programs that tests need and this machine lacks. */
export function missingPrograms(): { name: string; how: string }[] {
  return PROGRAMS.filter(({ runs: [file, ...args] }) => spawnSync(file, args).status !== 0).map(
    ({ name, packages }) => ({
      name,
      how: `apt-get install ${packages}`,
    }),
  )
}
