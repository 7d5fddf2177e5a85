@rem Scripts of package.json begin with `exec`, so that signals reach Node and no shell. Windows has no such word.
@%*
