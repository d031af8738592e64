"""The app: screens in HTML at ``/app``, made of what the API's endpoints answer for the person who is signed in."""
